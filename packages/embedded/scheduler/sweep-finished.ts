import type { Engine } from "../engine/model/types.ts";
import { removeRange } from "../engine/transact/remove-range.ts";
import { completedBeforeRange } from "./scheduled-queries.ts";

/** Finished scheduled functions are kept for a week, as in Convex; in ms. */
const keepFinishedMs = 7 * 24 * 3_600_000;

/**
 * Removes the rows of functions that finished long ago.
 * @param tables the engine's names for the tables of scheduled functions and cron runs
 * @param now ms since the epoch
 */
export async function sweepFinished(
  engine: Engine,
  tables: readonly string[],
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  for (const table of tables) {
    await removeRange(engine, completedBeforeRange(table, now - keepFinishedMs), signal);
  }
}
