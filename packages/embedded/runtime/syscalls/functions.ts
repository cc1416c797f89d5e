import type { JSONValue } from "convex/values";
import { functionHandleOf, type FunctionPath } from "../../names/function-path.ts";
import { limits } from "../checks/limits.ts";
import {
  type ActionExecution,
  calledBy,
  type Execution,
  type LastRead,
  type TransactionExecution,
} from "../execution/execution.ts";
import type { FunctionResult } from "../execution/function-failure.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import { amountNames, type Budget } from "../execution/transaction-usage.ts";
import type { Calls, Services } from "./services.ts";
import { countArg, objectArg, optionalCountArg, stringArg, type SyscallArgs } from "./syscall-args.ts";
import { targetOf } from "./target.ts";

/** An action of the backend itself, which the deployment's actions find in `CONVEX_EMBEDDED_WAIT_FOR_CHANGE`. */
export const waitForChangePath = "_system/embedded/waitForChange";

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
  const call = udfType === "snapshotQuery" ? services.calls.snapshotQuery : calledNested(services);
  return valueOf(await call(execution, target, callArgs, budgetOf(args)));
}

/** Calls within the transaction of the caller. */
function calledNested({ calls }: Services): Calls["snapshotQuery"] {
  return async (execution, target, args, budget) => {
    const { usage, transaction } = execution;
    const [savepoint, written] = [transaction.savepoint(), usage.written()];
    const restoreLimits = usage.lower(budget, () => transaction.readSet.size);
    try {
      const result = await calls.nested(execution, target, args);
      if (result.kind === "failure") {
        transaction.rollbackTo(savepoint);
        usage.restore(written);
      }
      return result;
    } finally {
      restoreLimits();
    }
  };
}

/** The option `transactionLimits` of a nested call. */
function budgetOf(args: SyscallArgs): Budget {
  if (args["transactionLimits"] === undefined) return {};
  const given = objectArg(args, "transactionLimits", "runUdf");
  const amounts = amountNames.map((name) => [name, optionalCountArg(given, name, "runUdf") ?? undefined]);
  return Object.fromEntries(amounts) as Budget;
}

/** `1.0/actions/query` */
export async function actionQuery(
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  const target = targetOf(services, execution, args, "runQuery", "Query");
  const callArgs = objectArg(args, "args", "runQuery");
  const { result, readSet, ts } = await services.calls.query(target, callArgs, calledBy(execution));
  if (!execution.ended) noteRead(execution, readKey(target, callArgs), { readSet, ts });
  return valueOf(result);
}

/** Of an action, the reads of so many queries are known: those of the newest runs. */
const mostReads = 100;

function noteRead({ lastReads }: ActionExecution, key: string, read: LastRead): void {
  lastReads.delete(key);
  lastReads.set(key, read);
  const [oldest] = lastReads.keys();
  if (lastReads.size > mostReads && oldest !== undefined) lastReads.delete(oldest);
}

/** A query with its arguments. */
function readKey({ path }: { readonly path: FunctionPath }, args: SyscallArgs): string {
  return `${functionHandleOf(path)} ${JSON.stringify(args)}`;
}

/** `1.0/actions/mutation` */
export async function actionMutation(
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  const target = targetOf(services, execution, args, "runMutation", "Mutation");
  const callArgs = objectArg(args, "args", "runMutation");
  return valueOf(await services.calls.mutation(target, callArgs, calledBy(execution)));
}

/** `1.0/actions/action` */
export async function actionAction(
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  const callArgs = objectArg(args, "args", "runAction");
  if (args["name"] === waitForChangePath) return waitForChange(services, execution, callArgs);
  const target = targetOf(services, execution, args, "runAction", "Action");
  return valueOf(await services.calls.action(target, callArgs, calledBy(execution)));
}

/**
 * Waits until a commit changes something that the last run of `query` with `args` in the calling action has read, or for
 * `withinMs`. A change since that run counts. An action names only a query that it has run, so it learns of nothing that it could not read.
 * @returns whether there was a change
 */
function waitForChange(
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  const name = stringArg(args, "query", "waitForChange");
  const withinMs = countArg(args, "withinMs", "waitForChange");
  if (withinMs > limits.waitForChangeMs)
    throw new SyscallError(`An action waits for a change at most ${limits.waitForChangeMs} ms at a time.`);
  const target = targetOf(services, execution, { name }, "waitForChange", "Query");
  const read = execution.lastReads.get(readKey(target, objectArg(args, "args", "waitForChange")));
  if (read === undefined)
    throw new SyscallError(
      `Call the query "${name}" with these arguments first. Then wait for a change of what it has read.`,
    );
  return new Promise((resolve) => {
    const end = (hasChanged: boolean): void => {
      clearTimeout(timer);
      unsubscribe();
      execution.stops.delete(stop);
      resolve(hasChanged);
    };
    const stop = (): void => end(false);
    const unsubscribe = services.engine.subscribe(read.readSet, read.ts, () => end(true));
    // Not a timer of the action: the subscription has to end with it.
    const timer = setTimeout(stop, withinMs).unref();
    execution.stops.add(stop);
  });
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
