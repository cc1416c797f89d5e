import type { JSONValue } from "convex/values";
import type { Execution } from "../execution.ts";
import { assertNever } from "../../assert-never.ts";
import type { Services } from "../services.ts";
import type { Claims, Identity } from "../types.ts";

/** `1.0/getUserIdentity`: the verified claims, those that the admin acts with, or null for callers without any. */
export function getUserIdentity(_: Services, { context }: Execution): JSONValue {
  const claims = claimsOf(context.identity);
  return claims === undefined ? null : { ...claims };
}

function claimsOf(identity: Identity): Claims | undefined {
  switch (identity.kind) {
    case "none":
      return undefined;
    case "admin":
      return identity.actingAs;
    case "user":
      return identity.attributes;
    default:
      return assertNever(identity);
  }
}
