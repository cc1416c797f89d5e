import type { TableDefinition } from "../engine/types.ts";
import { CRON_TABLE } from "../scheduler/cron-job.ts";
import { SCHEDULED_TABLE } from "../scheduler/scheduled-function.ts";
import { SESSION_TABLE } from "./session-requests.ts";

/** Tables that the backend itself keeps, whatever the schema says. */
export const SYSTEM_TABLES: readonly TableDefinition[] = [SCHEDULED_TABLE, CRON_TABLE, SESSION_TABLE];

const READABLE = new Set([SCHEDULED_TABLE.name]);

/** Whether `ctx.db.system` may read a system table. */
export function isReadableSystemTable(table: string): boolean {
  return READABLE.has(table);
}
