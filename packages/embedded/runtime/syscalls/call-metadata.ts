import type { JSONValue } from "convex/values";
import { parseFunctionPath, shortPathOf } from "../../names/function-path.ts";
import { appComponent } from "../../names/table-name.ts";
import { assertNever } from "../../values/assert-never.ts";
import type { Claims, Identity } from "../contract/function-runner.ts";
import { type Execution, isTransactional, type TransactionExecution } from "../execution/execution.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import type { Services } from "./services.ts";

/**
 * `1.0/getUserIdentity`: the verified claims, those with which the admin acts, or null. If an HTTP action
 * received an invalid token, this throws the reason in it and in the actions that it calls. Queries and
 * mutations get null.
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

/** Adds the token identifier, which clients leave to the backend. */
function withTokenIdentifier(claims: Claims): Claims {
  const { issuer, subject } = claims;
  if (typeof issuer !== "string" || typeof subject !== "string") return claims;
  return { tokenIdentifier: `${issuer}|${subject}`, ...claims };
}

/** `1.0/getTransactionMetrics` */
export function getTransactionMetrics(_: Services, { usage, transaction }: TransactionExecution): JSONValue {
  return usage.metrics(transaction.readSet.size);
}

/** `1.0/getFunctionMetadata` */
export function getFunctionMetadata(_: Services, { identifier, component }: Execution): JSONValue {
  const own = component === appComponent ? identifier : identifier.slice(component.length + 1);
  const path = parseFunctionPath(own);
  return { name: path === null ? own : shortPathOf(path), componentPath: component };
}

/** `1.0/getDeploymentMetadata` */
export function getDeploymentMetadata({ deploymentName }: Services): JSONValue {
  return { name: deploymentName, region: null, class: "s16" };
}

/** `1.0/getRequestMetadata`, in mutations and actions. A caller's token is not kept after its verification. */
export function getRequestMetadata(_: Services, { context }: Execution): JSONValue {
  const { source, requestId, scheduledFunctionId } = context;
  return { ...source, requestId, scheduledFunctionId, authToken: null };
}
