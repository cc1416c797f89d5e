import type { JSONValue } from "convex/values";
import type { ScanOrder } from "../../engine/model/types.ts";
import type { KeyRange } from "../../values/keys/index-range.ts";
import { compareKeys, type Key, successor } from "../../values/keys/key.ts";
import { limits } from "../checks/limits.ts";
import type { TransactionExecution } from "../execution/execution.ts";
import { QueryStream } from "../execution/query-stream.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import type { CursorPosition } from "./cursor.ts";
import { countQuery } from "./database-read.ts";
import { planQuery, type SerializedQuery } from "./serialized-query.ts";
import type { Services } from "./services.ts";
import { numberArg, optionalNumberArg, optionalStringArg, type SyscallArgs } from "./syscall-args.ts";

const method = "paginate";
// A page is often returned unchanged, and the length of a returned array is limited.
const recommendedPageLength = Math.floor(limits.arrayLength * 0.75);

type Page = {
  readonly documents: readonly JSONValue[];
  readonly position: CursorPosition;
  readonly keysRead: readonly Key[];
  readonly status: "SplitRequired" | "SplitRecommended" | null;
};

/** `1.0/queryPage`: one page of a query. If an end cursor is given or journaled, the page ends there. */
export function queryPage(services: Services, execution: TransactionExecution, args: SyscallArgs): JSONValue {
  const { cursors } = services;
  const query = args["query"] as JSONValue;
  const pageSize = numberArg(args, "pageSize", method);
  if (pageSize < 1) throw new SyscallError("Must request at least 1 document while paginating");
  const budget = {
    rows: positive(optionalNumberArg(args, "maximumRowsRead", method)),
    bytes: positive(optionalNumberArg(args, "maximumBytesRead", method)),
  };
  if (execution.journal.endCursor !== null) throw multiplePages();
  const cursor = optionalStringArg(args, "cursor", method);
  const endCursor = optionalStringArg(args, "endCursor", method) ?? execution.previousJournal.endCursor;
  const start = cursor === null ? null : cursors.open(cursor, query);
  const end = endCursor === null ? null : cursors.open(endCursor, query);

  const plan = planQuery(services.engine, execution.component, query as unknown as SerializedQuery);
  countQuery(execution);
  const range = between(plan.range, plan.order, start, end);
  const scan = range === null ? { next: () => null } : execution.transaction.scan(range, plan.order);
  const stream = new QueryStream(scan, plan.operators, execution.usage, budget);
  const page = readPage(stream, pageSize, start, end);

  const continueCursor = cursors.seal(page.position, query);
  execution.journal = { endCursor: continueCursor };
  const middle = page.keysRead.length < 2 ? null : page.keysRead[Math.floor((page.keysRead.length - 1) / 2)];
  return {
    page: [...page.documents],
    isDone: page.position.kind === "end",
    continueCursor,
    splitCursor: middle ? cursors.seal({ kind: "after", key: middle }, query) : null,
    pageStatus: page.status,
  };
}

function readPage(
  stream: QueryStream,
  pageSize: number,
  start: CursorPosition | null,
  end: CursorPosition | null,
): Page {
  const documents: JSONValue[] = [];
  let outcome: "full" | "end" | "stopped" = "full";
  while (end !== null || documents.length < pageSize) {
    const pulled = stream.pull();
    if (pulled.kind !== "document") {
      outcome = pulled.kind;
      break;
    }
    documents.push(pulled.entry.document);
  }
  const { keysRead } = stream;
  const lastKey = keysRead.at(-1);
  const reached: CursorPosition =
    outcome === "end"
      ? { kind: "end" }
      : lastKey === undefined
        ? (start ?? { kind: "end" })
        : { kind: "after", key: lastKey };
  const status =
    outcome === "stopped"
      ? "SplitRequired"
      : documents.length > recommendedPageLength
        ? "SplitRecommended"
        : null;
  return { documents, position: end ?? reached, keysRead, status };
}

/** Returns the part of a range after one cursor, up to and including another. Null if it is empty. */
function between(
  range: KeyRange,
  order: ScanOrder,
  start: CursorPosition | null,
  end: CursorPosition | null,
): KeyRange | null {
  if (start?.kind === "end") return null;
  let { lower, upper } = range;
  if (order === "asc") {
    if (start !== null) lower = later(lower, successor(start.key));
    if (end?.kind === "after") upper = earlier(upper, successor(end.key));
  } else {
    if (start !== null) upper = earlier(upper, start.key);
    if (end?.kind === "after") lower = later(lower, end.key);
  }
  return upper !== null && compareKeys(lower, upper) >= 0 ? null : { ...range, lower, upper };
}

function later(a: Key, b: Key): Key {
  return compareKeys(a, b) >= 0 ? a : b;
}

function earlier(a: Key | null, b: Key): Key {
  return a !== null && compareKeys(a, b) <= 0 ? a : b;
}

function positive(limit: number | null): number {
  if (limit === null) return Infinity;
  if (limit > 0) return limit;
  throw new SyscallError("maximumRowsRead and maximumBytesRead must be greater than 0");
}

function multiplePages(): SyscallError {
  return new SyscallError(
    "This query or mutation function ran multiple paginated queries. " +
      "Convex only supports a single paginated query in each function.",
  );
}
