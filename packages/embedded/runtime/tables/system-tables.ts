import { APP, type ComponentPath } from "../../names/table-name.ts";
import { CRON_TABLE } from "../../scheduler/cron/cron-job.ts";
import { CRON_RUN_TABLE, SCHEDULED_TABLE } from "../../scheduler/scheduled-function.ts";
import { DELETED_TABLE, FILE_TABLE, STORAGE_TABLE } from "../../storage/file-rows.ts";
import type { TableDefinition } from "../../values/keys/index-fields.ts";
import { ENVIRONMENT_TABLE } from "./environment-table.ts";
import { SESSION_TABLE } from "./session-requests.ts";
import { EXPORT_TABLE, IMPORT_TABLE } from "./state-tables.ts";

/** Tables that the backend itself keeps for the whole deployment. */
const DEPLOYMENT_TABLES: readonly TableDefinition[] = [
  CRON_TABLE,
  SESSION_TABLE,
  ENVIRONMENT_TABLE,
  FILE_TABLE,
  DELETED_TABLE,
  EXPORT_TABLE,
  IMPORT_TABLE,
];
/** Those that it keeps for the app and for each component. */
const COMPONENT_TABLES: readonly TableDefinition[] = [SCHEDULED_TABLE, STORAGE_TABLE, CRON_RUN_TABLE];

/** What the backend keeps beside a component's own tables, whatever its schema says. */
export function systemTablesOf(component: ComponentPath): readonly TableDefinition[] {
  return component === APP ? [...COMPONENT_TABLES, ...DEPLOYMENT_TABLES] : COMPONENT_TABLES;
}

const READABLE = new Set([SCHEDULED_TABLE.name, STORAGE_TABLE.name]);

/** Whether `ctx.db.system` may read a system table. */
export function isReadableSystemTable(table: string): boolean {
  return READABLE.has(table);
}
