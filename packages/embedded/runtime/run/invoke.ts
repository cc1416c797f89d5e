import { setTimeout as sleep } from "node:timers/promises";
import type { JSONValue } from "convex/values";
import { shortPathOf } from "../../names/function-path.ts";
import { invokeOf, type RegisteredFunction } from "../contract/registered-function.ts";
import {
  endExecution,
  type Execution,
  executions,
  isTransactional,
  type TransactionExecution,
} from "../execution/execution.ts";
import {
  describeThrown,
  type FunctionFailure,
  type FunctionResult,
  refusal,
} from "../execution/function-failure.ts";
import { rejectionsReported } from "../execution/uncaught.ts";
import { NeverResolvesError, withinUserTime } from "../execution/user-time.ts";
import type { Visit } from "../isolate/worlds.ts";
import type { ModuleNamespace } from "../source/bundled-script.ts";
import { notFound, type Services } from "../syscalls/services.ts";
import { checked } from "./arguments.ts";
import { warnOfLimits } from "./limit-warnings.ts";

/** Runs a function's handler in an execution and a world. Checks the arguments before, and the returned value after. */
export function invoke(
  services: Services,
  execution: Execution,
  target: RegisteredFunction,
  args: JSONValue,
  visit: Visit,
): Promise<FunctionResult> {
  return checked(services, execution, target, args, () => handle(services, execution, target, args, visit));
}

async function handle(
  services: Services,
  execution: Execution,
  target: RegisteredFunction,
  args: JSONValue,
  visit: Visit,
): Promise<FunctionResult> {
  const argsJson = JSON.stringify([args]);
  let returnedJson: string | null = null;
  try {
    const { requestId } = execution.context;
    execution.time.start();
    const returned = executions.run(execution, () => {
      const { module, name } = target.path;
      return invokeOf(target, moduleIn(visit, execution, module)[name])(argsJson, requestId);
    });
    returnedJson = await withinUserTime(execution, returned);
    // Long operations inside V8 have no ticks, so check the time now.
    if (isTransactional(execution)) execution.time.check();
    return { kind: "success", value: JSON.parse(returnedJson) as JSONValue };
  } catch (thrown) {
    return failureOf(services, execution, thrown);
  } finally {
    warnOfLimits(execution, argsJson, returnedJson);
  }
}

/** The exports of a module in the world of a run. Throws what the module throws if it is evaluated now. */
export function moduleIn(visit: Visit, execution: Execution, module: string): ModuleNamespace {
  execution.loading = true;
  try {
    return visit.world().module(module);
  } finally {
    execution.loading = false;
  }
}

/**
 * Whether the world of a run can be used again. A ConvexError is an answer of the app. After other errors, the module's state
 * may be incomplete.
 */
export function leavesWorldIntact(result: FunctionResult): boolean {
  return result.kind === "success" || result.data !== undefined;
}

/**
 * Runs a function that is part of a transaction. Resolves when no code of it uses the transaction anymore. As on Convex, work
 * that the function did not await runs to its end first, and fails the function if it fails. After an error of the function
 * itself, its other work is stopped.
 */
export async function invokeToEnd(
  services: Services,
  execution: TransactionExecution,
  target: RegisteredFunction,
  args: JSONValue,
): Promise<FunctionResult> {
  const visit = services.worlds.visit(target.path, target.sharesWorld);
  try {
    const result = await runToEnd(services, execution, target, args, visit);
    visit.end(leavesWorldIntact(result));
    return result;
  } finally {
    endExecution(execution);
  }
}

/** Like `invokeToEnd`, for a function that was found before a deploy may have replaced or removed it. */
export async function invokeNewest(
  services: Services,
  execution: TransactionExecution,
  { path, type }: RegisteredFunction,
  args: JSONValue,
): Promise<FunctionResult> {
  const target = services.find(path);
  if (target?.type === type) return invokeToEnd(services, execution, target, args);
  return notFound(shortPathOf(path), execution.context.identity);
}

async function runToEnd(
  services: Services,
  execution: TransactionExecution,
  target: RegisteredFunction,
  args: JSONValue,
  visit: Visit,
): Promise<FunctionResult> {
  const result = await invoke(services, execution, target, args, visit);
  if (result.kind === "success") await rejectionsReported();
  else execution.ended = true;
  // After a failure, too: a rollback must not meet a nested call that still runs.
  await operationsEnded(execution);
  if (result.kind === "failure") return result;
  const { error } = execution.time;
  return error === null ? (execution.leftFailure ?? result) : refusal(error.message);
}

async function operationsEnded(execution: TransactionExecution): Promise<void> {
  while (execution.operations > 0) {
    await execution.turn.catch(() => undefined);
    // Other operations need the event loop, and Node reports rejections only in between.
    await sleep(1);
  }
}

/** Describes a thrown value within the function's time limit, since reading it may run the function's code. */
export function failureOf(services: Services, execution: Execution, thrown: unknown): FunctionFailure {
  const { time } = execution;
  if (NeverResolvesError.isOne(thrown)) return refusal(thrown.message);
  const failure =
    time.error === null ? executions.run(execution, () => describeThrown(thrown, services.mapStack)) : null;
  // The function was stopped, so an error that it threw meanwhile does not matter.
  return failure === null || time.error !== null ? refusal(time.error?.message ?? "") : failure;
}
