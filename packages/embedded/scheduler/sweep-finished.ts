import type { Engine } from "../engine/model/types.ts";
import { removeRange } from "../engine/transact/remove-range.ts";
import { completedBeforeRange } from "./scheduled-queries.ts";

/** How long a finished scheduled function can be looked up, as Convex keeps it: a week, in ms. */
const keepFinishedMs = 7 * 24 * 3_600_000;

/**
 * Removes the rows of what has long been run.
 * @param tables of scheduled functions and runs of crons, by the engine's names
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
