import type { JSONValue } from "convex/values";
import type { Engine, Scan, ScanOrder, Transaction } from "../../engine/model/types.ts";
import { mostTextMatches } from "../../engine/search/text-search.ts";
import { appComponent } from "../../names/table-name.ts";
import { keyFieldsOf } from "../../values/keys/index-fields.ts";
import type { KeyRange } from "../../values/keys/index-range.ts";
import { compareKeys, type Key, successor } from "../../values/keys/key.ts";
import { limits } from "../checks/limits.ts";
import type { TransactionExecution } from "../execution/execution.ts";
import { QueryStream, type StreamBudget, unlimited } from "../execution/query-stream.ts";
import { SearchScan } from "../execution/search-scan.ts";
import { ReadLimitError, SyscallError } from "../execution/syscall-error.ts";
import type { CursorPosition } from "./cursor.ts";
import { countQuery } from "./database-read.ts";
import { planQuery, type QueryPlan, type SerializedQuery } from "./serialized-query.ts";
import type { Services } from "./services.ts";
import { countArg, optionalCountArg, optionalStringArg, type SyscallArgs } from "./syscall-args.ts";

const method = "queryPage";
const mostItems = limits.documentsRead;

type Page = {
  readonly documents: readonly JSONValue[];
  readonly position: CursorPosition;
  /** The page may lack rows before its end. */
  readonly isCut: boolean;
};

/** `1.0/queryPage`: one page of a query. If an end cursor is given or journaled, the page ends there. */
export async function queryPage(
  services: Services,
  execution: TransactionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  const { cursors } = services;
  const query = args["query"] as JSONValue;
  const pageSize = pageSizeOf(args);
  const asked = budgetOf(args);
  if (execution.component !== appComponent)
    throw new SyscallError("paginate() is only supported in the app.");
  if (execution.journal.endCursor !== null) throw multiplePages();
  const { component, transaction, usage } = execution;
  const schema = services.schemaOf(component);
  const plan = planQuery(services.engine, schema, component, query as unknown as SerializedQuery);
  const cursor = optionalStringArg(args, "cursor", method);
  const endCursor = optionalStringArg(args, "endCursor", method) ?? execution.previousJournal.endCursor;
  // A position in an index means nothing after the index got other fields.
  const place = [query, [...fieldsOf(services.engine, plan)]];
  const start = cursor === null ? null : cursors.open(cursor, place);
  const end = endCursor === null ? null : cursors.open(endCursor, place);
  const isRange = plan.source.kind === "range";
  // As on Convex, a search has a limit of its own and no other.
  const budget = isRange ? asked : { rows: mostTextMatches, bytes: Infinity };

  countQuery(execution);
  // A page with an end is read to its end, since no other page has its rows.
  const stream = new QueryStream(
    scanOf(transaction, plan, start, end),
    plan.operators,
    usage,
    end === null && isRange ? budget : unlimited,
  );
  await stream.prepare();
  const page = readPage(stream, pageSize, start, end);

  const continueCursor = cursors.seal(page.position, place);
  execution.journal = { endCursor: continueCursor };
  // Parts of a search would not take less work than the whole.
  const middle = isRange ? middleOf(stream.keysRead) : null;
  return {
    page: [...page.documents],
    isDone: page.position.kind === "end",
    continueCursor,
    splitCursor: middle === null ? null : cursors.seal({ kind: "after", key: middle }, place),
    pageStatus: statusOf(page, stream, budget),
  };
}

function pageSizeOf(args: SyscallArgs): number {
  const pageSize = countArg(args, "pageSize", method);
  if (pageSize === 0) throw new SyscallError("Must request at least 1 document while paginating");
  if (pageSize > mostItems) throw new SyscallError(`Requested too many items: ${String(pageSize)}`);
  return pageSize;
}

function budgetOf(args: SyscallArgs): StreamBudget {
  const rows = optionalCountArg(args, "maximumRowsRead", method) ?? Infinity;
  const bytes = optionalCountArg(args, "maximumBytesRead", method) ?? Infinity;
  if (rows === 0 || bytes === 0) {
    throw new SyscallError("maximumRowsRead and maximumBytesRead must be greater than 0");
  }
  return { rows, bytes };
}

function fieldsOf(engine: Engine, { table, source }: QueryPlan): readonly string[] {
  return source.kind === "range" ? (keyFieldsOf(engine.definitionOf(table), source.range.index) ?? []) : [];
}

/** Reads a query's documents after one cursor, up to and including another. */
function scanOf(
  transaction: Transaction,
  { table, source }: QueryPlan,
  start: CursorPosition | null,
  end: CursorPosition | null,
): Scan {
  if (start?.kind === "end") return { next: () => null };
  if (source.kind === "search") {
    const upTo = end?.kind === "after" ? end.key : null;
    return new SearchScan(transaction, { ...source, table }, { after: start?.key ?? null, upTo });
  }
  const range = between(source.range, source.order, start, end);
  return range === null ? { next: () => null } : transaction.scan(range, source.order);
}

function readPage(
  stream: QueryStream,
  pageSize: number,
  start: CursorPosition | null,
  end: CursorPosition | null,
): Page {
  const documents: JSONValue[] = [];
  let reached: "full" | "end" | "stopped" = "full";
  try {
    while (end !== null || documents.length < pageSize) {
      const pulled = stream.pull();
      if (pulled.kind !== "document") {
        reached = pulled.kind;
        break;
      }
      documents.push(pulled.entry.document);
    }
  } catch (error) {
    const isFirst = start === null && stream.keysRead.length === 0;
    if (!(error instanceof ReadLimitError) || isFirst) throw error;
    reached = "stopped";
  }
  const position = end ?? (reached === "end" ? { kind: "end" } : lastRead(stream, start));
  return { documents, position, isCut: reached === "stopped" };
}

/** A page that has read nothing ends where it starts. */
function lastRead({ keysRead }: QueryStream, start: CursorPosition | null): CursorPosition {
  const key = keysRead.at(-1);
  return key === undefined ? (start ?? { kind: "end" }) : { kind: "after", key };
}

/** Of few rows there is no middle. */
function middleOf(keysRead: readonly Key[]): Key | null {
  return keysRead.length <= 2 ? null : (keysRead[Math.floor(keysRead.length / 2)] as Key);
}

/** A page should be split when it has used more than three quarters of a limit. */
function statusOf(
  { documents, isCut }: Page,
  stream: QueryStream,
  { rows, bytes }: StreamBudget,
): string | null {
  if (isCut) return "SplitRequired";
  const hasReadMuch = stream.hasReadMoreThan({
    rows: threeQuarters(Math.min(rows, limits.documentsRead)),
    bytes: threeQuarters(Math.min(bytes, limits.bytesRead)),
  });
  // A page is often returned unchanged, and the length of a returned array is limited.
  const isLong = documents.length > threeQuarters(limits.arrayLength);
  return hasReadMuch || isLong ? "SplitRecommended" : null;
}

function threeQuarters(limit: number): number {
  return Math.floor((limit * 3) / 4);
}

/** Returns the part of a range after one cursor, up to and including another. Null if it is empty. */
function between(
  range: KeyRange,
  order: ScanOrder,
  start: (CursorPosition & { readonly kind: "after" }) | null,
  end: CursorPosition | null,
): KeyRange | null {
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

function multiplePages(): SyscallError {
  return new SyscallError(
    "This query or mutation function ran multiple paginated queries. " +
      "Convex only supports a single paginated query in each function.",
  );
}
