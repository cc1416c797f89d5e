import type { JSONValue } from "convex/values";
import type { ReadSet, Timestamp } from "../../engine/types.ts";
import type { RegisteredFunction } from "../registered-function.ts";
import type { Services } from "../services.ts";
import { type CallContext, endExecution, newTransactionExecution } from "./execution.ts";
import type { FunctionResult } from "./function-failure.ts";
import { invoke } from "./invoke.ts";
import { formatJournal, parseJournal } from "./journal.ts";

export type QueryResult = {
  readonly result: FunctionResult;
  readonly ts: Timestamp;
  readonly readSet: ReadSet;
  readonly journal: string | null;
};

/** Runs a query on a snapshot that is on disk: the newest one, or the one that the caller needs. */
export async function runQuery(
  services: Services,
  target: RegisteredFunction,
  args: JSONValue,
  context: CallContext,
  { journal, ts }: { readonly journal?: string | null; readonly ts?: Timestamp } = {},
): Promise<QueryResult> {
  const { engine } = services;
  const previousJournal = parseJournal(journal);
  const transaction = engine.begin({ snapshot: ts ?? engine.durable() });
  const execution = newTransactionExecution("query", target, context, transaction, previousJournal);
  try {
    const result = await invoke(services, execution, target, args);
    const { readSet, snapshot } = transaction;
    return { result, ts: snapshot, readSet, journal: formatJournal(execution.journal) };
  } finally {
    endExecution(execution);
    engine.discard(transaction);
  }
}
