import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import { cronTable } from "../../scheduler/cron/cron-job.ts";
import { cronRunTable, scheduledTable } from "../../scheduler/scheduled-function.ts";
import { deletedTable, fileTable, storageTable } from "../../storage/file-rows.ts";
import type { TableDefinition } from "../../values/keys/index-fields.ts";
import { environmentTable } from "./environment-table.ts";
import { sessionTable } from "./session-requests.ts";
import { exportTable, importTable } from "./state-tables.ts";

/** Tables that the backend itself keeps for the whole deployment. */
const deploymentTables: readonly TableDefinition[] = [
  cronTable,
  sessionTable,
  environmentTable,
  fileTable,
  deletedTable,
  exportTable,
  importTable,
];
/** Tables that it keeps for the app and for each component. */
const componentTables: readonly TableDefinition[] = [scheduledTable, storageTable, cronRunTable];

/** Lists the tables that the backend keeps beside a component's own, independently of its schema. */
export function systemTablesOf(component: ComponentPath): readonly TableDefinition[] {
  return component === appComponent ? [...componentTables, ...deploymentTables] : componentTables;
}

const readable = new Set([scheduledTable.name, storageTable.name]);

/** Whether `ctx.db.system` may read a system table. */
export function isReadableSystemTable(table: string): boolean {
  return readable.has(table);
}
