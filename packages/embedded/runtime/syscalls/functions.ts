import type { JSONValue } from "convex/values";
import { functionHandleOf } from "../../names/function-path.ts";
import { limits } from "../checks/limits.ts";
import type { ActionExecution, Execution, TransactionExecution } from "../execution/execution.ts";
import type { FunctionResult } from "../execution/function-failure.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import type { Services } from "./services.ts";
import { objectArg, stringArg, type SyscallArgs } from "./syscall-args.ts";
import { targetOf } from "./target.ts";

/**
 * `1.0/runUdf`: a nested query (also a stale one) or mutation. If a nested mutation fails, only its own
 * writes are rolled back.
 */
export async function runUdf(
  services: Services,
  execution: TransactionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  const udfType = stringArg(args, "udfType", "runUdf");
  const callArgs = objectArg(args, "args", "runUdf");
  if (udfType !== "query" && udfType !== "mutation" && udfType !== "snapshotQuery") {
    throw new SyscallError(`Invalid udfType ${udfType}`);
  }
  if (udfType === "mutation" && execution.kind === "query") {
    throw new SyscallError("Cannot call a Mutation function from a Query function");
  }
  if (execution.depth >= limits.nestedCalls) {
    throw new SyscallError(
      "Cross component call depth limit exceeded. Do you have an infinite loop in your app?",
    );
  }
  const target = targetOf(services, execution, args, "runUdf", udfType === "mutation" ? "Mutation" : "Query");
  if (udfType === "snapshotQuery")
    return valueOf(await services.calls.snapshotQuery(execution, target, callArgs));
  const savepoint = execution.transaction.savepoint();
  const written = execution.usage.written();
  const result = await services.calls.nested(execution, target, callArgs);
  if (result.kind === "failure") {
    execution.transaction.rollbackTo(savepoint);
    execution.usage.restoreWritten(written);
  }
  return valueOf(result);
}

/** `1.0/actions/query` */
export async function actionQuery(
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  const target = targetOf(services, execution, args, "runQuery", "Query");
  return valueOf(await services.calls.query(target, objectArg(args, "args", "runQuery"), execution.context));
}

/** `1.0/actions/mutation` */
export async function actionMutation(
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  const target = targetOf(services, execution, args, "runMutation", "Mutation");
  const callArgs = objectArg(args, "args", "runMutation");
  return valueOf(await services.calls.mutation(target, callArgs, execution.context));
}

/** `1.0/actions/action` */
export async function actionAction(
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  const target = targetOf(services, execution, args, "runAction", "Action");
  return valueOf(
    await services.calls.action(target, objectArg(args, "args", "runAction"), execution.context),
  );
}

/** `1.0/createFunctionHandle` */
export function createFunctionHandle(services: Services, execution: Execution, args: SyscallArgs): JSONValue {
  const target = targetOf(services, execution, args, "createFunctionHandle");
  return functionHandleOf(target.path);
}

function valueOf(result: FunctionResult): JSONValue {
  if (result.kind === "success") return result.value;
  throw new SyscallError(result.message, result.data);
}
