import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ticksOf, treeOf } from "./process-tree.ts";

const everyMs = 5;
/** A process without work for this long is idle. */
const quietMs = 500;
/** An idle process with a warm model still answers and collects garbage. */
const allowedTicks = 1;
const patienceMs = 15_000;

/** The runner's process below a donor's, if any. */
export function runnerOf(donorPid: number): number | null {
  return treeOf(donorPid).find((pid) => commandOf(pid).includes("runner-process")) ?? null;
}

type IdleTimes = {
  /** The time from `since` until the runner's processes last used the processor. */
  readonly stillMs: number;
  /** The time from `since` until the process ended and its memory was free. Null while it lives. */
  readonly goneMs: number | null;
  /** Whether the patience ended first. Then `stillMs` is the time of the watch. */
  readonly neverIdle: boolean;
};

/**
 * Watches the runner until it is idle, or until its process ended if it `hasToEnd`. `since` is a time of
 * `performance.now()`.
 */
export async function watchUntilIdle(pid: number, since: number, hasToEnd: boolean): Promise<IdleTimes> {
  const samples: { readonly at: number; readonly ticks: number }[] = [];
  for (;;) {
    const tree = treeOf(pid);
    const at = performance.now();
    if (tree.length === 0) return { stillMs: at - since, goneMs: at - since, neverIdle: false };
    samples.push({ at, ticks: ticksOf(tree) });
    const idle = idleSince(samples, allowedTicks);
    if (!hasToEnd && idle !== null && at - idle >= quietMs) {
      return { stillMs: Math.max(0, idle - since), goneMs: null, neverIdle: false };
    }
    if (at - since > patienceMs) return { stillMs: at - since, goneMs: null, neverIdle: true };
    await sleep(everyMs);
  }
}

/**
 * The time of the first sample after which at most `allowed` ticks were counted. The kernel may not have counted the
 * last tick of work yet, so the result is at most 10 ms too early.
 */
export function idleSince(
  samples: readonly { readonly at: number; readonly ticks: number }[],
  allowed: number,
): number | null {
  const last = samples.at(-1);
  return last === undefined ? null : (samples.find(({ ticks }) => last.ticks - ticks <= allowed)?.at ?? null);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
