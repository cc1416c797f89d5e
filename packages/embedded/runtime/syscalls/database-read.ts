import { convexToJson, type JSONValue } from "convex/values";
import { localTableOf } from "../../names/table-name.ts";
import { fullRange } from "../../values/keys/index-range.ts";
import { documentBytes } from "../checks/document-bytes.ts";
import type { TransactionExecution } from "../execution/execution.ts";
import { QueryStream } from "../execution/query-stream.ts";
import { SearchScan } from "../execution/search-scan.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import type { Services } from "./services.ts";
import {
  numberArg,
  optionalStringArg,
  parseSyscallArgs,
  stringArg,
  type SyscallArgs,
} from "./syscall-args.ts";
import { guardSystemTable, readableTableFor, tableOfArg } from "./table-access.ts";

/** Counts a query before it runs. Throws SyscallError beyond Convex's limit. */
export function countQuery(execution: TransactionExecution): void {
  execution.usage.query();
  countRange(execution);
}

function countRange({ usage, transaction }: TransactionExecution): void {
  usage.range(() => transaction.readSet.size);
}

/** `1.0/get` */
export function get(_: Services, execution: TransactionExecution, args: SyscallArgs): JSONValue {
  const id = stringArg(args, "id", "db.get");
  const isSystem = args["isSystem"] === true;
  const expected = optionalStringArg(args, "table", "db.get");
  const table = tableOfArg(execution, id, expected, "db.get");
  if (table === null) return null;
  guardSystemTable(table, isSystem);
  countQuery(execution);
  const document = execution.transaction.get(id);
  if (document !== null) execution.usage.read(documentBytes(document));
  return document;
}

/** `1.0/queryStream`: opens a query. Reads nothing before its first document is requested. */
export function queryStream(
  services: Services,
  execution: TransactionExecution,
  argsJson: string,
): JSONValue {
  const { component, transaction } = execution;
  const plan = services.plans.of(services.engine, services.schemaOf(component), component, argsJson);
  execution.usage.query();
  const { source, table } = plan;
  const scan =
    source.kind === "range"
      ? transaction.scan(source.range, source.order)
      : new SearchScan(transaction, { ...source, table }, { after: null, upTo: null });
  const queryId = execution.nextStreamId++;
  execution.streams.set(queryId, new QueryStream(scan, plan.operators, execution.usage));
  return { queryId };
}

/** `1.0/queryStreamNext` */
export function queryStreamNext(
  _: Services,
  execution: TransactionExecution,
  args: SyscallArgs,
): JSONValue | Promise<JSONValue> {
  const stream = execution.streams.get(numberArg(args, "queryId", "queryStreamNext"));
  if (stream === undefined) throw new SyscallError("in-progress query not found");
  const ready = stream.prepare();
  return ready === null ? nextOf(execution, stream) : ready.then(() => nextOf(execution, stream));
}

function nextOf(execution: TransactionExecution, stream: QueryStream): JSONValue {
  if (!stream.hasBegun) countRange(execution);
  const pulled = stream.pull();
  if (pulled.kind !== "document") return { value: null, done: true };
  return { value: pulled.entry.document as JSONValue, done: false };
}

/** `1.0/queryCleanup` */
export function queryCleanup(_: Services, execution: TransactionExecution, argsJson: string): JSONValue {
  const args = parseSyscallArgs("1.0/queryCleanup", argsJson);
  return execution.streams.delete(numberArg(args, "queryId", "queryCleanup"));
}

/**
 * `1.0/count`: the number of the table's documents in this transaction. As in Convex, it depends on the whole
 * table, but counts as one query and reads no documents.
 */
export function count(_: Services, execution: TransactionExecution, args: SyscallArgs): JSONValue {
  const table = stringArg(args, "table", "count");
  countQuery(execution);
  return execution.transaction.count(fullRange(readableTableFor(execution.component, table), "by_id"));
}

/** `1.0/db/normalizeId` */
export function normalizeId(_: Services, execution: TransactionExecution, argsJson: string): JSONValue {
  const args = parseSyscallArgs("1.0/db/normalizeId", argsJson);
  const table = stringArg(args, "table", "db.normalizeId");
  const id = stringArg(args, "idString", "db.normalizeId");
  return { id: localTableOf(execution.transaction, execution.component, id) === table ? id : null };
}

/** `1.0/getSnapshotTs` */
export function getSnapshotTs(_: Services, execution: TransactionExecution): JSONValue {
  return convexToJson(execution.transaction.snapshot);
}
