import {
  afterCollection,
  type Growth,
  isHeapFull,
  isMachineFull,
  isTight,
  keepsTooMuch,
  type MemoryUse,
  memoryUse,
  outOfMemory,
  without,
  withoutGarbage,
} from "./memory-use.ts";

/** The memory of the process is measured so often while actions run, in ms. */
const everyMs = 50;
/** An action that was ended gives its memory back soon. Until then no other one ends for it, in ms. */
const patienceMs = 250;

/** The watch's knowledge of one action. */
type Watched = {
  /** By how much the process has grown since this was first asked. */
  grown(now: MemoryUse): Growth;
  /** How many bytes its code has added to the heap as far as that was measured. */
  readonly kept: number;
  /** Ends it for a reason. */
  end(message: string): void;
};

type Candidate = { readonly time: Watched; readonly grown: Growth; readonly sinceMs: number };

/** When the running actions began, in ms of `performance.now()`. */
const running = new Map<Watched, number>();
let timer: NodeJS.Timeout | null = null;
let quietUntil = 0;
let isStale = false;

/**
 * Watches the memory while an action runs. Most of its code has ticks, which measure memory as well. But an action may also get
 * memory while none of its code runs: from bodies, Blobs, and results of calls.
 */
export function watchMemory(time: Watched): void {
  running.set(time, performance.now());
  timer ??= setInterval(look, everyMs).unref();
}

/** Ends the watch of an action. */
export function unwatchMemory(time: Watched): void {
  if (!running.delete(time) || running.size > 0 || timer === null) return;
  clearInterval(timer);
  timer = null;
}

function look(): void {
  let now = memoryUse();
  for (const time of running.keys()) time.grown(now);
  const at = performance.now();
  if (!isTight(now) || at < quietUntil) return;
  if (isStale) {
    // The memory of ended actions is garbage now.
    now = afterCollection();
    isStale = false;
  } else if (suspects(now, at).some(({ grown }) => keepsTooMuch(now, grown.heap))) {
    // Once for all of them.
    now = withoutGarbage(now);
  }
  for (const { time } of suspects(now, at)) {
    const grown = time.grown(now);
    if (!isHeapFull(now, grown.heap) && !isMachineFull(now, grown)) continue;
    time.end(outOfMemory);
    // It can end only once. What it still has would hide what others add.
    unwatchMemory(time);
    now = without(now, grown);
    isStale = true;
    quietUntil = at + patienceMs;
  }
}

/**
 * Actions that may have filled the memory: first those whose own code was seen to add most, then those during which the process has
 * grown fastest. The longer an action runs, the more of the growth is that of others.
 */
function suspects(now: MemoryUse, at: number): readonly Candidate[] {
  const all = [...running].map(([time, since]) => ({ time, grown: time.grown(now), sinceMs: at - since }));
  const rate = ({ grown, sinceMs }: Candidate): number => (grown.heap + grown.outside) / sinceMs;
  return all.sort((a, b) => b.time.kept - a.time.kept || rate(b) - rate(a));
}
