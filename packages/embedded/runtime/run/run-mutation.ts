import type { JSONValue } from "convex/values";
import type { Timestamp, Transaction } from "../../engine/model/types.ts";
import { type Attempt, commitWithRetries } from "../../engine/transact/transact.ts";
import { getScheduled, setScheduledState } from "../../scheduler/scheduled-function.ts";
import type { SessionRequest } from "../contract/function-runner.ts";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import { type CallContext, isAbandoned, newTransactionExecution } from "../execution/execution.ts";
import { type FunctionResult, refusal } from "../execution/function-failure.ts";
import { LogLines } from "../execution/log-lines.ts";
import type { Services } from "../syscalls/services.ts";
import { findSessionRecord, recordSessionRequest } from "../tables/session-requests.ts";
import type { ConflictStats } from "./conflict-stats.ts";
import { invokeNewest } from "./invoke.ts";

type MutationResult = {
  readonly result: FunctionResult;
  readonly ts: Timestamp;
  /** Number of retries. */
  readonly retries: number;
  /** The session's request through which records were deleted; null if none were. */
  readonly deletedThrough: number | null;
};

type MutationCall = {
  readonly target: RegisteredFunction;
  readonly args: JSONValue;
  readonly context: CallContext;
};

/** Outcome of a scheduled mutation. `skipped` means that it was canceled or that another run finished it. */
type ScheduledRun =
  | { readonly kind: "finished"; readonly result: FunctionResult; readonly retries: number }
  | { readonly kind: "skipped" }
  | { readonly kind: "conflicted"; readonly message: string };

/** Runs a mutation and commits it. A resent mutation with a recorded outcome is answered from its record. */
export async function runMutation(
  services: Services,
  stats: ConflictStats,
  call: MutationCall,
  session?: SessionRequest,
): Promise<MutationResult> {
  let deletedThrough: number | null = null;
  const committed = await retried<FunctionResult>(services, stats, call, async (transaction, context) => {
    const recorded = mayHaveRecord(session) ? recordedResult(services, transaction, session) : null;
    // Commit even this read: it waits until the record is on disk.
    if (recorded !== null) return { commit: true, result: recorded };
    const result = await execute(services, call, context, transaction);
    if (result.kind === "failure") return { commit: false, result };
    // A mutation that wrote nothing may safely run again. Without a record, an empty result needs no commit.
    if (session !== undefined && transaction.hasWrites()) {
      deletedThrough = recordSessionRequest(
        transaction,
        session,
        services.answers.seal(result.value, session),
      );
    }
    return { commit: true, result };
  });
  const { ts, retries } = committed;
  return committed.kind === "finished"
    ? { result: committed.result, ts, retries, deletedThrough }
    : { result: refusal(committed.message), ts, retries, deletedThrough: null };
}

/**
 * Answers a mutation that must not run, such as one without a function. A resent one with a recorded outcome is answered from
 * its record, since a deploy may have removed its function after it ran.
 */
export async function refuseMutation(
  services: Services,
  refused: FunctionResult,
  session?: SessionRequest,
): Promise<Pick<MutationResult, "result" | "ts">> {
  if (!mayHaveRecord(session)) return { result: refused, ts: services.engine.durable() };
  const committed = await commitWithRetries(services.engine, (transaction) =>
    Promise.resolve({ commit: true, result: recordedResult(services, transaction, session) ?? refused }),
  );
  return { result: committed.kind === "finished" ? committed.result : refused, ts: committed.ts };
}

function mayHaveRecord(session?: SessionRequest): session is SessionRequest {
  return session !== undefined && session.isNew !== true;
}

function recordedResult(
  { answers }: Services,
  transaction: Transaction,
  session: SessionRequest,
): FunctionResult | null {
  const record = findSessionRecord(transaction, session);
  if (record === null) return null;
  const value =
    record.plain === undefined ? answers.open(record.sealed, session) : (record.plain as JSONValue);
  return value === undefined ? refusal(unreadable) : { kind: "success", value };
}

/** The mutation must not run again. */
const unreadable = "This mutation ran before, but its value cannot be read: the admin key has changed.";

/**
 * Runs the mutation of a `_scheduled_functions` or `_cron_runs` row. The row's new state commits with the mutation's
 * writes, so that a crash leaves both or neither. A failed mutation is rolled back and only its failure committed.
 */
export async function runScheduledMutation(
  services: Services,
  stats: ConflictStats,
  call: MutationCall,
  jobId: string,
): Promise<ScheduledRun> {
  const committed = await retried<FunctionResult | null>(
    services,
    stats,
    call,
    async (transaction, context) => {
      if (getScheduled(transaction, jobId)?.state.kind !== "pending") return { commit: false, result: null };
      const savepoint = transaction.savepoint();
      const result = await execute(services, call, context, transaction);
      if (result.kind === "failure") transaction.rollbackTo(savepoint);
      setScheduledState(
        transaction,
        jobId,
        result.kind === "success" ? { kind: "success" } : { kind: "failed", error: result.message },
      );
      return { commit: true, result };
    },
  );
  if (committed.kind === "conflicted") return committed;
  const { result, retries } = committed;
  return result === null ? { kind: "skipped" } : { kind: "finished", result, retries };
}

async function retried<T>(
  services: Services,
  stats: ConflictStats,
  { target, context }: MutationCall,
  attempt: (transaction: Transaction, context: CallContext) => Promise<Attempt<T>>,
) {
  const { mutationTurns, gate } = services;
  stats.ran(target.identifier);
  // Keep only the log of the last attempt: the others were rolled back.
  let lastLogs = new LogLines();
  let retries = 0;
  const committed = await commitWithRetries(
    services.engine,
    (transaction) => {
      lastLogs = new LogLines();
      return attempt(transaction, { ...context, logs: lastLogs });
    },
    {
      commitMs: services.latency.commitMs,
      turns: { run: (task) => mutationTurns.run(() => gate.pass(task)) },
      onConflict: (conflict, again) => {
        retries += again ? 1 : 0;
        stats.conflicted(target.identifier, conflict, again);
      },
    },
  );
  context.logs.addAll(lastLogs);
  return { ...committed, retries };
}

async function execute(
  services: Services,
  { target, args }: MutationCall,
  context: CallContext,
  transaction: Transaction,
): Promise<FunctionResult> {
  if (isAbandoned(context)) return abandoned;
  const execution = newTransactionExecution("mutation", target, context, transaction);
  const result = await invokeNewest(services, execution, target, args);
  return isAbandoned(context) ? abandoned : result;
}

/** Its action did not await it. As on Convex, it ends with the action, unless it has committed. */
const abandoned = refusal("The action that called this mutation has ended.");
