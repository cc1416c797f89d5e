import type { JSONValue } from "convex/values";
import { newestFirst } from "../backup/state-documents.ts";
import { exportTable, importTable } from "../runtime/tables/state-tables.ts";
import type { SystemQueries } from "./system-functions.ts";

/** Queries of `npx convex export`. */
export function exportQueries(): SystemQueries {
  return {
    "_system/cli/exports:getLatest": (transaction) => {
      const [newest] = newestFirst(transaction, exportTable.name);
      return newest === undefined ? null : { ...newest };
    },
  };
}

/** Queries of `npx convex import`. */
export function importQueries(): SystemQueries {
  return {
    "_system/cli/queryImport": (transaction, args) => {
      const id = importIdIn(args);
      if (id === null || transaction.tableOf(id) !== importTable.name) return null;
      return asJson(transaction.get(id));
    },
    "_system/cli/queryImport:list": (transaction) =>
      newestFirst(transaction, importTable.name).map((row) => ({ ...row })),
  };
}

function importIdIn(args: JSONValue): string | null {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return null;
  return typeof args["importId"] === "string" ? args["importId"] : null;
}

function asJson(row: { readonly [field: string]: JSONValue } | null): JSONValue {
  return row === null ? null : { ...row };
}
