import type { JSONValue } from "convex/values";
import { assertNever } from "../../values/assert-never.ts";
import type { Claims, Identity } from "../contract/function-runner.ts";
import { type Execution, isTransactional } from "../execution/execution.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import type { Services } from "./services.ts";

/**
 * `1.0/getUserIdentity`: the verified claims, those that the admin acts with, or null for callers without any.
 * An HTTP action is told why the token it was sent is none, and so are the actions that it calls: not so
 * queries and mutations, for which it is nobody.
 */
export function getUserIdentity(_: Services, execution: Execution): JSONValue {
  const { identity } = execution.context;
  if (identity.kind === "none" && identity.refused !== undefined && !isTransactional(execution)) {
    throw new SyscallError(identity.refused);
  }
  const claims = claimsOf(identity);
  return claims === undefined ? null : { ...claims };
}

function claimsOf(identity: Identity): Claims | undefined {
  switch (identity.kind) {
    case "none":
      return undefined;
    case "admin":
      return identity.actingAs === undefined ? undefined : withTokenIdentifier(identity.actingAs);
    case "user":
      return identity.attributes;
    default:
      return assertNever(identity);
  }
}

/** Clients leave it to the backend. */
function withTokenIdentifier(claims: Claims): Claims {
  const { issuer, subject } = claims;
  if (typeof issuer !== "string" || typeof subject !== "string") return claims;
  return { tokenIdentifier: `${issuer}|${subject}`, ...claims };
}
