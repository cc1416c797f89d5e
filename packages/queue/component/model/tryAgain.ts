import type { MutationCtx } from "../builders.ts";
import type { Step } from "./jobs/step.ts";
import { maintenance } from "./references.ts";

/** So many are passed over within one round, by their ids; with more, the round ends. */
const mostRefused = 500;

/** Milliseconds until what an app's function threw at is tried again, after so many times before: until it is mended. */
export function retryDelayMs(failures: number): number {
  return Math.min(600_000, 1_000 * 2 ** failures);
}

export type Round<Row> = {
  /** Those that the app refused in this round: passed over until the next one. */
  readonly refused: Row[];
  /** Rounds before this one in which there were such. */
  readonly failures: number;
};

/**
 * How work in pieces goes on when the app refuses some of it: with the rest at once, then with those again in a new
 * round, later each time. Null: nothing is left.
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
 * Takes a step in a transaction within the caller's: what throws there, such as the app's `onFinal`, undoes this step
 * alone. Not for a worker's own call, which is refused then.
 * @returns false when it threw: the caller tries again later.
 */
export async function runStep(ctx: MutationCtx, step: Step): Promise<boolean> {
  try {
    await ctx.runMutation(maintenance.step, { step });
    return true;
  } catch (error) {
    console.error(`The queue's step ${JSON.stringify(step)} is put off, since it threw:`, error);
    return false;
  }
}
