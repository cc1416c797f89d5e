import type { JSONValue } from "convex/values";
import type { Claims } from "../runtime/contract/function-runner.ts";

/** The registered claims of JSON Web Tokens, and one that Convex leaves out because it differs from token to token. */
const NOT_CUSTOM = new Set(["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "fva"]);

/** A UserIdentity from a custom JWT's verified claims: they keep their names, nested ones as "outer.inner". */
export function customJwtIdentity(claims: Claims & { readonly iss: string; readonly sub: string }): Claims {
  const custom = Object.entries(claims).filter(([claim]) => !NOT_CUSTOM.has(claim));
  return Object.fromEntries<JSONValue>([
    ...custom.flatMap(([claim, value]) => flattened(claim, value)),
    // Last, so that no custom claim passes for a verified field.
    ["tokenIdentifier", `${claims.iss}|${claims.sub}`],
    ["subject", claims.sub],
    ["issuer", claims.iss],
  ]);
}

function flattened(claim: string, value: JSONValue): readonly [string, JSONValue][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[claim, value]];
  return Object.entries(value).flatMap(([inner, nested]) => flattened(`${claim}.${inner}`, nested));
}
