import type { Activity } from "./decision.ts";
import type { HoldReason } from "./reasons.ts";

/**
 * What ends for a moment and begins again: a call in which the microphone is muted, a film between two clips, a
 * network that is changed. After these it stays away for so many seconds more.
 */
const settleSeconds: { readonly [Reason in HoldReason]?: number } = {
  suspended: 5,
  "lid-closed": 5,
  "other-network": 10,
  metered: 30,
  "too-hot": 60,
  "excluded-program": 10,
  "memory-low": 60,
  "full-screen": 10,
  "in-call": 30,
  "media-playing": 30,
};

export type Settling = {
  readonly reason: HoldReason;
  /** ms since the epoch, as all of these. */
  readonly clearSince: number;
  readonly until: number;
};

/** What it still holds for although nothing is against donating any more; null where it may begin. */
export function settling(state: Activity, now: number): Settling | null {
  if (state.kind !== "holding") return null;
  const seconds = settleSeconds[state.reason];
  if (seconds === undefined) return null;
  // A clock that was set back does not lengthen the wait.
  const clearSince = Math.min(now, state.clearSince ?? now);
  const until = clearSince + seconds * 1_000;
  return until > now ? { reason: state.reason, clearSince, until } : null;
}
