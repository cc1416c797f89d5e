import type { JSONValue } from "convex/values";
import * as z from "zod";
import type { Engine, Transaction } from "../engine/model/types.ts";
import { type ComponentPath, engineTableName, parseEngineTableName } from "../names/table-name.ts";
import { isReadableSystemTable } from "../runtime/tables/system-tables.ts";
import { fullRange } from "../values/keys/index-range.ts";
import { keyFromBytes, keyToBytes, successor } from "../values/keys/key.ts";
import type { SystemQueries } from "./system-functions.ts";

const pagination = z.object({ numItems: z.number().int().min(1), cursor: z.string().nullable() });
const tableArgs = z.object({
  table: z.string(),
  order: z.enum(["asc", "desc"]).default("desc"),
  paginationOpts: pagination,
});

const watchedArgs = z.object({ tableName: z.string() });

/** Largest page, as in Convex. */
const maxPage = 1_000;
const end = "end";

/** Queries of `npx convex data`: the tables, and the documents of one table. */
export function tableQueries(engine: Pick<Engine, "tables">): SystemQueries {
  return {
    "_system/cli/tables": (_, __, component) => ({
      page: engine
        .tables()
        .map(({ name }) => parseEngineTableName(name))
        .filter((each) => each.component === component && !each.table.startsWith("_"))
        .map(({ table }) => ({ name: table })),
      isDone: true,
      continueCursor: end,
    }),
    // The command only watches it for changes, after documents did not fit a pushed schema.
    "_system/cli/queryTable": (transaction, args, component) => {
      const { tableName: table } = watchedArgs.parse(args);
      return page(transaction, { table, paginationOpts: { numItems: maxPage, cursor: null } }, component);
    },
    "_system/cli/tableData": (transaction, args, component) => page(transaction, args, component),
  };
}

/** A page by creation time. The cursor is the key where the next page begins. */
function page(transaction: Transaction, args: JSONValue, component: ComponentPath): JSONValue {
  const { table, order, paginationOpts } = tableArgs.parse(args);
  if (table.includes("/") || (table.startsWith("_") && !isReadableSystemTable(table))) return empty;
  const whole = fullRange(engineTableName({ component, table }), "by_creation_time");
  const { cursor } = paginationOpts;
  if (cursor === end) return empty;
  const last = cursor === null ? null : keyFromBytes(Buffer.from(cursor, "base64"));
  const range =
    last === null
      ? whole
      : order === "asc"
        ? { ...whole, lower: successor(last) }
        : { ...whole, upper: last };
  const scan = transaction.scan(range, order);
  const documents: JSONValue[] = [];
  for (let entry = scan.next(); entry !== null; entry = scan.next()) {
    documents.push({ ...entry.document });
    if (documents.length < Math.min(paginationOpts.numItems, maxPage)) continue;
    return {
      page: documents,
      isDone: false,
      continueCursor: Buffer.from(keyToBytes(entry.key)).toString("base64"),
    };
  }
  return { page: documents, isDone: true, continueCursor: end };
}

const empty: JSONValue = { page: [], isDone: true, continueCursor: end };
