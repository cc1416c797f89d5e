import type { JSONValue } from "convex/values";
import type { ReadSet, Timestamp } from "../../engine/model/types.ts";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import { type CallContext, newTransactionExecution } from "../execution/execution.ts";
import type { FunctionResult } from "../execution/function-failure.ts";
import { formatJournal, parseJournal } from "../execution/journal.ts";
import type { Services } from "../syscalls/services.ts";
import { invokeNewest } from "./invoke.ts";

type QueryResult = {
  readonly result: FunctionResult;
  readonly ts: Timestamp;
  readonly readSet: ReadSet;
  readonly journal: string | null;
  /** With those of the queries that it called. */
  readonly documentsRead: number;
};

/** Runs a query on a durable snapshot: the newest one, or the one that the caller needs. */
export function runQuery(
  services: Services,
  target: RegisteredFunction,
  args: JSONValue,
  context: CallContext,
  { journal, ts }: { readonly journal?: string | null; readonly ts?: Timestamp } = {},
): Promise<QueryResult> {
  const { engine } = services;
  const previousJournal = parseJournal(journal);
  return services.gate.pass(async () => {
    const transaction = engine.begin({ snapshot: ts ?? engine.durable() });
    const execution = newTransactionExecution("query", target, context, transaction, previousJournal);
    try {
      const result = await invokeNewest(services, execution, target, args);
      const { readSet, snapshot } = transaction;
      const { documentsRead } = execution.usage;
      return { result, ts: snapshot, readSet, journal: formatJournal(execution.journal), documentsRead };
    } finally {
      engine.discard(transaction);
    }
  });
}
