import type { JSONValue } from "convex/values";
import type { Execution } from "../execution.ts";
import type { Services } from "../services.ts";

/** `1.0/getUserIdentity`: the verified claims, or null for callers without a token. */
export function getUserIdentity(_: Services, { context }: Execution): JSONValue {
  const { identity } = context;
  return identity.kind === "user" ? { ...identity.attributes } : null;
}
