import { setTimeout as sleep } from "node:timers/promises";
import type { JSONValue } from "convex/values";
import { appComponent } from "../../names/table-name.ts";
import {
  type ActionExecution,
  type Execution,
  isTransactional,
  type TransactionExecution,
} from "../execution/execution.ts";
import { endedError, SyscallError } from "../execution/syscall-error.ts";
import { isTurnLong, nextTurn } from "../execution/turn-clock.ts";
import * as metadata from "./call-metadata.ts";
import * as read from "./database-read.ts";
import * as write from "./database-write.ts";
import * as functions from "./functions.ts";
import { isTrip, nextRound } from "./pacing.ts";
import { queryPage } from "./query-page.ts";
import * as scheduling from "./scheduling.ts";
import type { Services } from "./services.ts";
import * as storage from "./storage.ts";
import type { SyscallArgs } from "./syscall-args.ts";
import { vectorSearch } from "./vector-search.ts";

type Syscall<E> = (services: Services, execution: E, args: SyscallArgs) => JSONValue | Promise<JSONValue>;
/** Takes the arguments as JSON, and parses them itself. */
type SyncSyscall = (services: Services, execution: TransactionExecution, json: string) => JSONValue;
type Table<S> = ReadonlyMap<string, S>;

const table = <S>(entries: { readonly [op: string]: S }): Table<S> => new Map(Object.entries(entries));

const sync: Table<SyncSyscall> = table({
  "1.0/queryStream": read.queryStream,
  "1.0/queryCleanup": read.queryCleanup,
  "1.0/db/normalizeId": read.normalizeId,
  "1.0/getSnapshotTs": read.getSnapshotTs,
});

const everywhereSyscalls: Table<Syscall<Execution>> = table({
  "1.0/getUserIdentity": (services, execution) =>
    // Only the app knows its users. It passes a component the data that the component needs.
    execution.component === appComponent ? metadata.getUserIdentity(services, execution) : null,
  "1.0/createFunctionHandle": functions.createFunctionHandle,
  "1.0/getFunctionMetadata": metadata.getFunctionMetadata,
  "1.0/getDeploymentMetadata": metadata.getDeploymentMetadata,
});

const inQueries: Table<Syscall<TransactionExecution>> = table({
  "1.0/get": read.get,
  "1.0/queryStreamNext": read.queryStreamNext,
  "1.0/queryPage": queryPage,
  "1.0/count": read.count,
  "1.0/runUdf": functions.runUdf,
  "1.0/getTransactionMetrics": metadata.getTransactionMetrics,
  "1.0/storageGetUrl": storage.getUrl,
  "1.0/storageGetMetadata": storage.getMetadata,
});

const inMutations: Table<Syscall<TransactionExecution>> = table({
  "1.0/insert": write.insert,
  "1.0/shallowMerge": write.shallowMerge,
  "1.0/replace": write.replace,
  "1.0/remove": write.remove,
  "1.0/schedule": scheduling.schedule,
  "1.0/cancel_job": scheduling.cancelJob,
  "1.0/storageGenerateUploadUrl": storage.generateUploadUrl,
  "1.0/storageDelete": storage.remove,
  "1.0/getRequestMetadata": metadata.getRequestMetadata,
  "1.0/storageStore": storage.unsupportedInMutations("store"),
  "1.0/storageGet": storage.unsupportedInMutations("get"),
});

const inActions: Table<Syscall<ActionExecution>> = table({
  "1.0/actions/query": functions.actionQuery,
  "1.0/actions/mutation": functions.actionMutation,
  "1.0/actions/action": functions.actionAction,
  "1.0/actions/schedule": scheduling.actionSchedule,
  "1.0/actions/cancel_job": scheduling.actionCancelJob,
  "1.0/actions/vectorSearch": vectorSearch,
  "1.0/storageGetUrl": storage.getUrl,
  "1.0/storageGetMetadata": storage.getMetadata,
  "1.0/storageGenerateUploadUrl": storage.generateUploadUrl,
  "1.0/storageDelete": storage.actionRemove,
  "1.0/getRequestMetadata": metadata.getRequestMetadata,
});

/** Convex's syscalls that we lack, with the developer's name for each. */
const unsupported: Table<string> = table({
  "1.0/signJwt": "ctx.auth.signJwt()",
  "1.0/auditLog": "log.audit()",
  "1.0/createServiceToken": "getServiceToken()",
  "1.0/getServiceUrl": "getServiceUrl()",
});

/** `Convex.syscall`: answers synchronously. */
export function dispatchSync(
  services: Services,
  execution: Execution,
  op: string,
  argsJson: string,
): JSONValue {
  const syscall = sync.get(op);
  if (syscall === undefined) throw new SyscallError(`Unknown operation ${op}`);
  if (!isTransactional(execution)) throw unavailable(op, execution);
  return syscall(services, execution, argsJson);
}

/** `Convex.asyncSyscall`. The syscalls of one query or mutation run one after the other. */
export function dispatchAsync(
  services: Services,
  execution: Execution,
  op: string,
  args: SyscallArgs,
): JSONValue | Promise<JSONValue> {
  if (!isTransactional(execution)) return dispatchInAction(services, execution, op, args);
  const everywhere = everywhereSyscalls.get(op);
  if (everywhere !== undefined) return everywhere(services, execution, args);
  const syscall = inQueries.get(op) ?? (execution.kind === "mutation" ? inMutations.get(op) : undefined);
  if (syscall === undefined) throw unavailable(op, execution);
  execution.pendingWaits += 1;
  const { readMs } = services.latency;
  return readMs > 0 && isTrip(execution, op, args)
    ? sleep(readMs).then(() => takeTurn(services, execution, syscall, args))
    : takeTurn(services, execution, syscall, args);
}

async function dispatchInAction(
  services: Services,
  execution: ActionExecution,
  op: string,
  args: SyscallArgs,
): Promise<JSONValue> {
  if (isTurnLong()) await nextTurn();
  if (execution.ended) throw endedError();
  const syscall = everywhereSyscalls.get(op) ?? inActions.get(op);
  if (syscall === undefined) throw unavailable(op, execution);
  return syscall(services, execution, args);
}

function takeTurn(
  services: Services,
  execution: TransactionExecution,
  syscall: Syscall<TransactionExecution>,
  args: SyscallArgs,
): Promise<JSONValue> {
  const result = inTurn(services, execution, syscall, args);
  execution.turn = result;
  return result;
}

async function inTurn(
  services: Services,
  execution: TransactionExecution,
  syscall: Syscall<TransactionExecution>,
  args: SyscallArgs,
): Promise<JSONValue> {
  try {
    // Calls that were made at once cross the network at once.
    const round = execution.kind === "mutation" ? nextRound() : null;
    // Without another syscall under way, the turn has come.
    if (execution.pendingWaits > 1) await execution.turn.catch(ignore);
    // Reads are answered at once. Without this, nothing else could run until the function ends.
    if (isTurnLong()) await nextTurn();
    if (round !== null) await round;
    // An earlier syscall may have outlived its function.
    if (execution.ended) throw endedError();
    return await syscall(services, execution, args);
  } finally {
    execution.pendingWaits -= 1;
  }
}

function ignore(): void {}

// The convex package looks for "Unknown async operation" to show a better message.
function unavailable(op: string, { kind }: Execution): SyscallError {
  const feature = unsupported.get(op);
  if (feature !== undefined) return new SyscallError(`${feature} is not supported by the embedded backend`);
  const known = [sync, everywhereSyscalls, inQueries, inMutations, inActions].some((each) => each.has(op));
  return new SyscallError(`Unknown async operation ${op}${known ? ` in a ${kind}` : ""}`);
}
