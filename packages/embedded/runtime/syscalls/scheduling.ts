import type { JSONValue } from "convex/values";
import type { Transaction } from "../../engine/model/types.ts";
import { transact } from "../../engine/transact/transact.ts";
import { type FunctionPath, udfPathOf } from "../../names/function-path.ts";
import { localTableOf } from "../../names/table-name.ts";
import {
  cancelScheduled,
  getScheduled,
  insertScheduled,
  scheduledTable,
  scheduledTableOf,
} from "../../scheduler/scheduled-function.ts";
import { measureValue } from "../checks/measure-value.ts";
import type { ActionExecution, Execution, TransactionExecution } from "../execution/execution.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import type { Services } from "./services.ts";
import { invalidArg, numberArg, objectArg, stringArg, type SyscallArgs } from "./syscall-args.ts";
import { targetOf } from "./target.ts";

const fiveYearsMs = 5 * 366 * 24 * 3600 * 1000;

/**
 * `1.0/schedule`: joins the mutation's transaction, so that the function is scheduled only if the mutation
 * commits.
 */
export function schedule(services: Services, execution: TransactionExecution, args: SyscallArgs): JSONValue {
  const job = parseJob(services, execution, args, execution.transaction.now);
  execution.usage.schedule(job.bytes);
  return insertScheduled(execution.transaction, scheduledTableOf(execution.component), job);
}

/** `1.0/cancel_job` */
export function cancelJob(_: Services, execution: TransactionExecution, args: SyscallArgs): JSONValue {
  cancel(execution.transaction, execution, args);
  return null;
}

/** `1.0/actions/schedule`: runs in a separate transaction. */
export async function actionSchedule(
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  const job = parseJob(services, execution, args, services.engine.now());
  const table = scheduledTableOf(execution.component);
  return transact(services.engine, (transaction) => insertScheduled(transaction, table, job));
}

/** `1.0/actions/cancel_job` */
export async function actionCancelJob(
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  await transact(services.engine, (transaction) => cancel(transaction, execution, args));
  return null;
}

function parseJob(services: Services, execution: Execution, args: SyscallArgs, now: number) {
  // As on Convex, the function's type and arguments are checked only when it is to run.
  const target = targetOf(services, execution, args, "scheduler", null, (path, shown) =>
    missingTarget(services, path, shown),
  );
  const scheduledTime = numberArg(args, "ts", "scheduler") * 1000;
  if (Math.abs(scheduledTime - now) > fiveYearsMs) {
    const direction = scheduledTime > now ? "future" : "past";
    throw new SyscallError(`${scheduledTime} is more than 5 years in the ${direction}`);
  }
  const jobArgs = objectArg(args, "args", "scheduler");
  const measured = measureValue(jobArgs);
  if (measured.kind === "refused") throw invalidArg("args", "scheduler", measured.reason);
  const { component } = target.path;
  return { component, name: udfPathOf(target.path), args: jobArgs, scheduledTime, bytes: measured.bytes };
}

function missingTarget(services: Services, path: FunctionPath | null, shown: string): string {
  if (path === null || !services.hasModule(path)) {
    return `Attempted to schedule function at nonexistent path: ${path === null ? shown : `${path.module}.js`}`;
  }
  const { module, name } = path;
  return (
    `Attempted to schedule function, but no exported function ${name} found in the file: ${module}.js. ` +
    "Did you forget to export it?"
  );
}

function cancel(transaction: Transaction, { component, context }: Execution, args: SyscallArgs): void {
  const id = stringArg(args, "id", "scheduler.cancel");
  if (localTableOf(transaction, component, id) !== scheduledTable.name) {
    throw new SyscallError(
      "Invalid scheduled function ID. The ID must be an ID on the '_scheduled_functions' table.",
    );
  }
  // The row of a running action is in progress. The row of a running mutation is pending until both commit.
  if (id === context.scheduledFunctionId && getScheduled(transaction, id)?.state.kind === "pending") {
    throw new SyscallError("A mutation cannot cancel itself");
  }
  cancelScheduled(transaction, id);
}
