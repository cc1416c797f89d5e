import * as z from "zod";
import { assertNever } from "../values/assert-never.ts";
import { parseBoundedJson } from "../wire/bounded-json.ts";
import { type AuthProvider, withoutSlash } from "./auth-config.ts";

/** The first provider that may have issued a token: same issuer, and its application if it names one. */
export function findProvider(
  providers: readonly AuthProvider[],
  issuer: string,
  audiences: readonly string[],
): AuthProvider | null {
  const url = withoutSlash(withScheme(issuer));
  const found = providers.find(
    (provider) =>
      provider.issuer === url &&
      (provider.applicationId === null || audiences.includes(provider.applicationId)),
  );
  return found ?? null;
}

/** Lists the configured providers, in Convex's words. */
export function describeNoProvider(providers: readonly AuthProvider[]): string {
  const start = "No auth provider found matching the given token";
  if (providers.length === 0) return `${start} (no providers configured). Check convex/auth.config.ts.`;
  const list = providers.map(describe).join(", ");
  return `${start}. Check that your JWT's issuer and audience match one of your configured providers: [${list}]`;
}

function describe(provider: AuthProvider): string {
  switch (provider.kind) {
    case "oidc":
      return `OIDC(domain=${provider.issuer}, app_id=${provider.applicationId})`;
    case "customJwt":
      return `CustomJWT(issuer=${provider.issuer}, app_id=${provider.applicationId ?? "none"})`;
    default:
      return assertNever(provider);
  }
}

/** Some providers' tokens have issuers without a scheme. */
function withScheme(issuer: string): string {
  return /^https?:\/\//.test(issuer) ? issuer : `https://${issuer}`;
}

/** Largest token in characters: far longer than headers allow. */
const maxTokenLength = 64 * 1024;

const malformed =
  "Could not parse JWT payload. Check that the token is a valid JWT format with three base64-encoded parts separated by dots.";
const noIssuer =
  "Missing issuer claim ('iss') in JWT payload. The JWT must include an 'iss' claim that matches one of your configured auth providers.";

const addressed = z.object({
  iss: z.string().max(2048).optional(),
  aud: z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional(),
});

/** A token's claimed issuer and audiences. Nothing is verified yet. */
type TokenAddress =
  | { readonly kind: "ok"; readonly issuer: string; readonly audiences: readonly string[] }
  | { readonly kind: "invalid"; readonly reason: string };

/** Reads only the claims that select the provider. Bounded in size and depth. */
export function readTokenAddress(token: string): TokenAddress {
  const parts = token.length > maxTokenLength ? [] : token.split(".");
  if (parts.length !== 3) return { kind: "invalid", reason: malformed };
  const json = parseBoundedJson(Buffer.from(parts[1] ?? "", "base64url").toString("utf8"));
  const parsed = json.kind === "ok" ? addressed.safeParse(json.value) : null;
  if (parsed?.success !== true) return { kind: "invalid", reason: malformed };
  const { iss, aud = [] } = parsed.data;
  return iss === undefined
    ? { kind: "invalid", reason: noIssuer }
    : { kind: "ok", issuer: iss, audiences: aud };
}
