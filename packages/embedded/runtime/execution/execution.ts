import { AsyncLocalStorage } from "node:async_hooks";
import type { ReadSet, Timestamp, Transaction } from "../../engine/model/types.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import { type RequestSource, unknownSource } from "../../wire/request-source.ts";
import { limits } from "../checks/limits.ts";
import type { Identity } from "../contract/function-runner.ts";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import { ExecutionTime, type SharedMemory } from "./execution-time.ts";
import type { FunctionFailure } from "./function-failure.ts";
import type { Journal } from "./journal.ts";
import { LogLines } from "./log-lines.ts";
import { unwatchMemory } from "./memory/memory-watch.ts";
import type { QueryStream } from "./query-stream.ts";
import { RandomStream } from "./random-stream.ts";
import { TransactionUsage } from "./transaction-usage.ts";

/** Context that a call shares with its nested calls. */
export type CallContext = {
  readonly identity: Identity;
  readonly requestId: string;
  readonly source: RequestSource;
  readonly logs: LogLines;
  /** The `_scheduled_functions` row that this call runs for. */
  readonly scheduledFunctionId: string | null;
  /** The action that called this one; null for a call of a client or of the scheduler. */
  readonly caller: ActionExecution | null;
  /** The memory of the action, and of the actions that it calls. */
  readonly memory: SharedMemory;
};

type ExecutionBase = {
  readonly context: CallContext;
  /** "module.js:name", or the route of an HTTP action. */
  readonly identifier: string;
  /** The component whose code runs: it sees that component's tables, files and variables. */
  readonly component: ComponentPath;
  readonly time: ExecutionTime;
  /** Number of pending syscalls and fetches. */
  operations: number;
  /** True while the function's module is evaluated. */
  loading: boolean;
  /** True after the end: code that the function left running must not act anymore. */
  ended: boolean;
  /** Fails the function with an error that nothing caught; null while it does not run. */
  fail: ((thrown: unknown) => void) | null;
};

/** A query or a mutation. It is deterministic and has one transaction, which nested calls share. */
export type TransactionExecution = ExecutionBase & {
  readonly kind: "query" | "mutation";
  readonly transaction: Transaction;
  readonly usage: TransactionUsage;
  readonly random: RandomStream;
  readonly depth: number;
  readonly streams: Map<number, QueryStream>;
  nextStreamId: number;
  readonly previousJournal: Journal;
  journal: Journal;
  /** Syscalls of one execution run one after the other, so that a nested call can be rolled back by itself. */
  turn: Promise<unknown>;
  /** Number of pending syscalls, and of tasks that wait for a thread. Their time is not the function's. */
  pendingWaits: number;
  /** The first rejection of work that the function did not await. */
  leftFailure: FunctionFailure | null;
};

/** The reads of a run of a query, and their time. */
export type LastRead = { readonly readSet: ReadSet; readonly ts: Timestamp };

/** An action or an HTTP action. It may have side effects, and each database access is a separate transaction. */
export type ActionExecution = ExecutionBase & {
  readonly kind: "action" | "httpAction";
  readonly timers: Set<NodeJS.Timeout>;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  /** The number of its pending operations, by Convex's names for them. */
  readonly pending: Map<string, number>;
  /** The same when its function returned or failed; null before. */
  left: ReadonlyMap<string, number> | null;
  /** Called when it ends: they stop operations that it has left behind. */
  readonly stops: Set<() => void>;
  /** Aborts its fetches when it ends; null before the first one. */
  fetches: AbortController | null;
  /** The last reads of the queries that it called, by the query and its arguments. */
  readonly lastReads: Map<string, LastRead>;
  /** Whether the answer of an HTTP action has arrived, or its client has left. */
  answered: boolean;
  /** Ends the execution, if it has left timers or operations behind. */
  lastTimer: NodeJS.Timeout | null;
  /** Looks whether operations still run after the client has left. */
  restTimer: NodeJS.Timeout | null;
};

export type Execution = TransactionExecution | ActionExecution;

/** How long timers and operations of an HTTP action run after its answer. On Convex all of its code ends with the answer. */
const afterAnswerMs = 10_000;

/** How often the operations are counted that an HTTP action runs after its client has left. */
const lookEveryMs = 1_000;

/** All executions share one stream, since each stream would need a key of its own. */
const random = new RandomStream();

/** Holds the execution of the code that is running now. */
export const executions = new AsyncLocalStorage<Execution>();

export function newCallContext(
  caller: { readonly identity: Identity; readonly requestId: string; readonly source?: RequestSource },
  scheduledFunctionId: string | null = null,
): CallContext {
  const { identity, requestId, source = unknownSource } = caller;
  return {
    identity,
    requestId,
    source,
    logs: new LogLines(),
    scheduledFunctionId,
    caller: null,
    memory: { kept: 0 },
  };
}

/** The context of a call that an action makes. */
export function calledBy(caller: ActionExecution): CallContext {
  return { ...caller.context, caller };
}

/** Whether the action that made a call has ended, so that nobody takes the result. */
export function isAbandoned({ caller }: CallContext): boolean {
  return caller !== null && caller.ended;
}

export function newTransactionExecution(
  kind: TransactionExecution["kind"],
  target: RegisteredFunction,
  context: CallContext,
  transaction: Transaction,
  previousJournal: Journal = { endCursor: null },
): TransactionExecution {
  return {
    kind,
    context,
    identifier: target.identifier,
    component: target.path.component,
    time: new ExecutionTime("total"),
    operations: 0,
    loading: false,
    ended: false,
    fail: null,
    transaction,
    usage: new TransactionUsage(),
    random: random,
    depth: 0,
    streams: new Map(),
    nextStreamId: 0,
    previousJournal,
    journal: { endCursor: null },
    turn: Promise.resolve(),
    pendingWaits: 0,
    leftFailure: null,
  };
}

/**
 * Creates the execution of a nested call. It shares its parent's transaction and usage (by default), clock and
 * random numbers, but has its own streams and journal.
 */
export function newNestedExecution(
  parent: TransactionExecution,
  kind: TransactionExecution["kind"],
  target: RegisteredFunction,
  { transaction, usage }: Pick<TransactionExecution, "transaction" | "usage"> = parent,
): TransactionExecution {
  return {
    ...newTransactionExecution(kind, target, parent.context, transaction),
    usage,
    depth: parent.depth + 1,
  };
}

export function newActionExecution(
  kind: ActionExecution["kind"],
  { identifier, component }: Pick<ActionExecution, "identifier" | "component">,
  context: CallContext,
): ActionExecution {
  return {
    kind,
    context,
    identifier,
    component,
    time: new ExecutionTime("unbroken", context.memory),
    operations: 0,
    loading: false,
    ended: false,
    timers: new Set(),
    fail: null,
    startedAt: performance.now(),
    pending: new Map(),
    left: null,
    stops: new Set(),
    fetches: null,
    lastReads: new Map(),
    answered: false,
    lastTimer: null,
    restTimer: null,
  };
}

/**
 * The client of an HTTP action has the answer or has left. Timers would keep the action's world for good, so they stop soon.
 * After the whole answer, operations stop as soon; an action whose client has left may finish its own.
 * @param hasWhole whether the client has the whole answer, so that nothing more is to be done
 */
export function endSoon(execution: ActionExecution, hasWhole: boolean): void {
  if (execution.ended) return;
  execution.answered = true;
  if (execution.timers.size > 0 || (hasWhole && isBusy(execution))) limitRest(execution);
  else watchRest(execution);
}

/** Nothing tells when the answer of a fetch has been read, so an action that has fetched counts as busy. */
function isBusy({ operations, fetches }: ActionExecution): boolean {
  return operations > 0 || fetches !== null;
}

/** Keeps the watch of memory while operations run, and ends them with the time of an action. */
function watchRest(execution: ActionExecution): void {
  const leftMs = execution.startedAt + limits.actionTimeMs - performance.now();
  if (!isBusy(execution)) unwatchMemory(execution.time);
  else if (leftMs > 0) {
    const look = (): void => watchRest(execution);
    execution.restTimer = setTimeout(look, Math.min(leftMs, lookEveryMs)).unref();
  } else {
    execution.time.spend(limits.actionTimeMs);
    endExecution(execution);
  }
}

/** Adds a timer, which stops when its action ends. */
export function addTimer(execution: ActionExecution, timer: NodeJS.Timeout): void {
  execution.timers.add(timer);
  if (execution.answered) limitRest(execution);
}

function limitRest(execution: ActionExecution): void {
  execution.lastTimer ??= setTimeout(() => {
    endExecution(execution);
  }, afterAnswerMs).unref();
}

/** Ends an execution. Its late syscalls are refused and its timers never fire. */
export function endExecution(execution: Execution): void {
  execution.ended = true;
  execution.time.release();
  if (isTransactional(execution)) {
    execution.streams.clear();
    return;
  }
  unwatchMemory(execution.time);
  execution.lastReads.clear();
  for (const stop of execution.stops) stop();
  execution.stops.clear();
  for (const timer of [execution.lastTimer, execution.restTimer]) if (timer !== null) clearTimeout(timer);
  for (const timer of execution.timers) clearTimeout(timer);
  execution.timers.clear();
}

export function isTransactional(execution: Execution): execution is TransactionExecution {
  return execution.kind === "query" || execution.kind === "mutation";
}
