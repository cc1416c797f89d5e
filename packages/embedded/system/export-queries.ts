import { newestFirst } from "../backup/state-documents.ts";
import { EXPORT_TABLE } from "../runtime/tables/state-tables.ts";
import type { SystemQueries } from "./system-functions.ts";

/** What `npx convex export` watches. */
export function exportQueries(): SystemQueries {
  return {
    "_system/cli/exports:getLatest": (transaction) => {
      const [newest] = newestFirst(transaction, EXPORT_TABLE.name);
      return newest === undefined ? null : { ...newest };
    },
  };
}
