import type { DonateReason, HoldReason } from "./reasons.ts";

/** What a donating computer gives. */
export type Limits = {
  /** null: one for each physical core but one. */
  readonly threads: number | null;
  readonly gpu: boolean;
  /** GPUs, by the system's index, that are left alone where `gpu` is true. */
  readonly deniedGpus: readonly number[];
  /** In MiB; null: what is free. */
  readonly memoryMb: number | null;
  /** The share of the time in which the threads may run: above 0, to 1. */
  readonly dutyCycle: number;
  /** Whether it keeps to as many processors as it has threads, and leaves all others to whoever is at work there. */
  readonly confined: boolean;
  /** Since when the threads stand still, in ms since the epoch: somebody types. null: they run. */
  readonly stillSince: number | null;
};

/**
 * What the donor is doing, and why. `since` and `recheckAt` are milliseconds since the epoch.
 * `clearSince`: what it holds for ended then, and it waits a little in case that begins again.
 */
export type Activity =
  | {
      readonly kind: "donating";
      readonly reason: DonateReason;
      readonly since: number;
      readonly limits: Limits;
    }
  | {
      readonly kind: "holding";
      readonly reason: HoldReason;
      readonly since: number;
      readonly clearSince?: number;
    };

/**
 * What the shell has to do now. `yield`: stop all work at once and give every job back. `limit`: go on within other limits.
 * `finish`: take nothing more, and finish what runs.
 */
export type Effect =
  | { readonly kind: "accept"; readonly limits: Limits }
  | { readonly kind: "limit"; readonly limits: Limits }
  | { readonly kind: "finish" }
  | { readonly kind: "yield"; readonly reason: HoldReason };

export type Decision = {
  readonly next: Activity;
  readonly effects: readonly Effect[];
  /** When to look again if no fact changes before; null when only a change can matter. */
  readonly recheckAt: number | null;
};
