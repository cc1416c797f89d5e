import type { Donating, Limits, Standby } from "./declare/activity.ts";
import type { StandbyReason } from "./reasons.ts";

/** The donor's activity and its reason. */
export type Activity = Donating | Standby<StandbyReason>;

/**
 * An instruction to the shell. `accept`: take jobs. `limit`: continue within other limits. `finish`: take no more jobs,
 * and finish those that run. `yield`: stop all work at once and give every job back.
 */
export type Effect =
  | { readonly kind: "accept"; readonly limits: Limits }
  | { readonly kind: "limit"; readonly limits: Limits }
  | { readonly kind: "finish" }
  | { readonly kind: "yield"; readonly reason: StandbyReason };

export type Decision = {
  readonly next: Activity;
  readonly effects: readonly Effect[];
  /** When to decide again if no fact changes before, in ms since the epoch; null when only a change can matter. */
  readonly recheckAt: number | null;
};
