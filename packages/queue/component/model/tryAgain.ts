import type { MutationCtx } from "./builders.ts";
import type { Step } from "./references.ts";
import { maintenance } from "./references.ts";

/** A round ends when the app has refused this many items, since their ids are passed along. */
const mostRefused = 500;

/**
 * The delay before the next try of something at which the app threw. In milliseconds, doubling with each failure, at
 * most 10 minutes.
 */
export function retryDelayMs(failures: number): number {
  return Math.min(600_000, 1_000 * 2 ** failures);
}

export type Round<Row> = {
  /** Items that the app refused in this round. They are skipped until the next round. */
  readonly refused: Row[];
  /** The number of earlier rounds with refused items. */
  readonly failures: number;
};

/**
 * How background work continues if the app refuses some of its items. It first does the other items, then retries the
 * refused ones in a new round after a growing delay. Null: nothing is left.
 */
export function nextRound<Row>(
  more: boolean,
  { refused, failures }: Round<Row>,
): (Round<Row> & { readonly delayMs: number }) | null {
  if (more && refused.length < mostRefused) return { delayMs: 0, refused, failures };
  if (refused.length === 0) return null;
  return { delayMs: retryDelayMs(failures), refused: [], failures: failures + 1 };
}

/**
 * Runs a step in a nested transaction. If the step throws, for example in the app's `onFinal`, only this step is
 * undone. A worker's own call does not use it: that call is refused as a whole.
 * @returns false if the step threw. The caller tries again later.
 */
export async function runStep(ctx: MutationCtx, step: Step): Promise<boolean> {
  try {
    await ctx.runMutation(maintenance.step, { step });
    return true;
  } catch (error) {
    console.error(`The queue retries ${JSON.stringify(step)} later, because it threw:`, error);
    return false;
  }
}
