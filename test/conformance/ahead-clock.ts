// differences-process.test.ts preloads this file into a backend's process (`--import`): a signal moves its steady clock on.
import { performance } from "node:perf_hooks";

const signal = "SIGUSR2";
const stepMs = 5 * 60_000;

/** Add these to a process's environment. Each `SIGUSR2` then moves `performance.now()` five minutes on. */
export const aheadClock = { NODE_OPTIONS: `--import=${import.meta.url}`, TEST_AHEAD_CLOCK: "yes" };

function moveClock(): void {
  const real = performance.now.bind(performance);
  let aheadMs = 0;
  performance.now = () => real() + aheadMs;
  process.on(signal, () => (aheadMs += stepMs));
}

if (process.env["TEST_AHEAD_CLOCK"] !== undefined) moveClock();
