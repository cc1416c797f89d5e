import type { Log } from "./log.ts";

const everyMs = 60_000;
/** Smaller steps are common, and gone within a minute or two. */
const leastMs = 5_000;

type ClockWatchDeps = {
  /** How far the backend's clock is ahead of the machine's, in ms. */
  readonly aheadMs: () => number;
  readonly log: Pick<Log, "warn" | "info">;
};

/**
 * Logs when the machine's clock has gone back, now or before the start, and when it has caught up. The returned function ends
 * the watch.
 */
export function watchClock({ aheadMs, log }: ClockWatchDeps): () => void {
  let isAhead = false;
  const look = (): void => {
    const ahead = aheadMs();
    if (isAhead === ahead >= leastMs) return;
    isAhead = !isAhead;
    const message = "The machine's clock has gone back. Functions see a later time until it has caught up.";
    if (isAhead) log.warn("clock.ahead", { seconds: Math.round(ahead / 1_000), message });
    else log.info("clock.caught-up");
  };
  look();
  const timer = setInterval(look, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
