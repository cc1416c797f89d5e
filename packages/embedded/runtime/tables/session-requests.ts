import type { Transaction } from "../../engine/model/types.ts";
import {
  type IndexDefinition,
  type TableDefinition,
  withSystemFields,
} from "../../values/keys/index-fields.ts";
import { type RangeExpression, toKeyRange } from "../../values/keys/index-range.ts";
import type { SessionRequest } from "../contract/function-runner.ts";

const bySession: IndexDefinition = { name: "by_session", fields: ["sessionId", "requestId"] };

/**
 * `_session_requests`: the values of mutations that came over a WebSocket, kept until the client has seen them.
 * Written in the mutation's own transaction, so that a mutation and its record commit together or not at all.
 */
export const sessionTable: TableDefinition = { name: "_session_requests", indexes: [bySession] };

/**
 * Finds the sealed value of a mutation that was committed before; null if it was not. Joins the transaction's read set. `plain`: a
 * value that an earlier version stored.
 */
export function findSessionRecord(
  transaction: Transaction,
  { sessionId, requestId }: SessionRequest,
): { readonly sealed: unknown; readonly plain: unknown } | null {
  const range = sessionRange(sessionId, { type: "Eq", fieldPath: "requestId", value: requestId });
  const entry = transaction.scan(range, "asc").next();
  return entry === null ? null : { sealed: entry.document["sealed"], plain: entry.document["value"] };
}

/**
 * Records a sealed value. Deletes the records that the client no longer needs.
 * @returns the request through which records were deleted; null if none were
 */
export function recordSessionRequest(
  transaction: Transaction,
  { sessionId, requestId, acknowledgedThrough }: SessionRequest,
  sealed: string | null,
): number | null {
  const through = acknowledgedThrough === null ? null : Math.min(acknowledgedThrough, requestId - 1);
  if (through !== null) removeRecords(transaction, sessionId, through);
  transaction.insert(sessionTable.name, { sessionId, requestId, sealed });
  return through;
}

/** The newest recorded request of a session, or null. */
export function newestRecord(transaction: Transaction, sessionId: string): number | null {
  const entry = transaction.scan(sessionRange(sessionId), "desc").next();
  return entry === null ? null : (entry.document["requestId"] as number);
}

function removeRecords(transaction: Transaction, sessionId: string, through: number): void {
  const range = sessionRange(sessionId, { type: "Lte", fieldPath: "requestId", value: through });
  const scan = transaction.scan(range, "asc");
  for (let entry = scan.next(); entry !== null; entry = scan.next()) {
    transaction.remove(entry.document["_id"] as string);
  }
}

function sessionRange(sessionId: string, ...requestId: readonly RangeExpression[]) {
  const target = {
    table: sessionTable.name,
    index: bySession.name,
    keyFields: withSystemFields(bySession.fields),
  };
  return toKeyRange(target, [{ type: "Eq", fieldPath: "sessionId", value: sessionId }, ...requestId]);
}
