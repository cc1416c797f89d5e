import type { JSONValue } from "convex/values";
import { parseAuthConfig } from "../auth/auth-config.ts";
import { fetchDocument } from "../auth/fetch-document.ts";
import { TokenVerifier } from "../auth/token-verifier.ts";
import { machineClocks } from "../clock/backend-clock.ts";
import { FunctionsLoadError } from "../runtime/code/loaded-code.ts";

/**
 * Creates the verifier for the default export of auth.config.ts; null means no file. Throws FunctionsLoadError.
 * @param needsVariables whether an invalid file may become valid with other environment variables.
 */
export function createTokenVerifier(authConfig: JSONValue, needsVariables = false): TokenVerifier {
  const parsed = parseAuthConfig(authConfig);
  if (parsed.kind === "invalid") throw new FunctionsLoadError(parsed.reason, { needsVariables });
  return new TokenVerifier(parsed.providers, (url) => fetchDocument(url), machineClocks);
}
