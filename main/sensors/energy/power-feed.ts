import { mostWatts } from "../../../app/energy/job-energy.ts";

/**
 * A program of the system that tells a power again and again, until the returned function is called; watts. Null: it does not know it at
 * this moment.
 */
export type PowerFeed = (onWatts: (watts: number | null) => void) => () => void;

/** The energy by a feed. */
export type FedEnergy = {
  /** Whether the feed is wanted. Its program runs only then. */
  readonly follow: (on: boolean) => void;
  /**
   * Joules since the feed began to tell a power. Null while it tells none, and once if it began anew since the last reading. `now`: ms of
   * the clock that `fedEnergy` has.
   */
  readonly joules: (now: number) => number | null;
};

/** After this time without a word from the feed nobody knows the power. */
const freshMs = 60_000;

/** Adds up the power that a feed tells. Each word of it holds until the next one. */
export function fedEnergy(feed: PowerFeed, now: () => number = () => performance.now()): FedEnergy {
  let end: (() => void) | null = null;
  let last: { readonly at: number; readonly watts: number } | null = null;
  let sum = 0;
  /** Whether the last reading was a number, with which the next one is compared. */
  let isRead = false;
  /** Whether the energy began anew since that reading. */
  let isAnew = false;
  const until = (at: number): number =>
    last === null ? 0 : sum + (last.watts * Math.max(0, at - last.at)) / 1_000;
  const isFresh = (at: number): boolean => last !== null && at - last.at < freshMs;
  const hear = (watts: number | null): void => {
    const at = now();
    if (isFresh(at)) {
      sum = until(at);
    } else {
      // Behind a gap it begins anew, as another meter would: nobody knows what the gap took.
      sum = 0;
      isAnew = isRead;
    }
    last = watts === null ? null : { at, watts };
  };
  return {
    follow: (on) => {
      if (on === (end !== null)) return;
      end?.();
      last = null;
      end = on ? feed(hear) : null;
    },
    joules: (at) => {
      isRead = isFresh(at) && !isAnew;
      isAnew = false;
      return isRead ? until(at) : null;
    },
  };
}

/** Null for a power that no computer draws. */
export function plausible(watts: number): number | null {
  return watts > 0 && watts <= mostWatts ? watts : null;
}
