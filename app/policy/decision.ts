import type { DonateReason, HoldReason } from "./reasons.ts";

/** What the donor is doing, and why. `since` and `recheckAt` are milliseconds since the epoch. */
export type Activity =
  | { readonly kind: "donating"; readonly reason: DonateReason; readonly since: number }
  | { readonly kind: "holding"; readonly reason: HoldReason; readonly since: number };

/** What the shell has to do now. `yield`: stop all work at once and give every job back. */
export type Effect = { readonly kind: "accept" } | { readonly kind: "yield"; readonly reason: HoldReason };

export type Decision = {
  readonly next: Activity;
  readonly effects: readonly Effect[];
  /** When to look again if no fact changes before; null when only a change can matter. */
  readonly recheckAt: number | null;
};
