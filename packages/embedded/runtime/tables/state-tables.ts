import type { TableDefinition } from "../../values/keys/index-fields.ts";

/**
 * `_exports`: the latest export. Written only by `Exports`. `state` goes requested → in_progress → completed,
 * or from either of the first two to failed.
 */
export const exportTable: TableDefinition = { name: "_exports", indexes: [] };

/**
 * `_snapshot_imports`: the latest imports. Written only by `Imports`. `state.state` goes uploaded →
 * waiting_for_confirmation → in_progress → completed, or from any of the first three to failed.
 */
export const importTable: TableDefinition = { name: "_snapshot_imports", indexes: [] };
