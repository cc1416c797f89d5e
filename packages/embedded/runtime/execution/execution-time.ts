import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import { limits } from "../checks/limits.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { collectedMs } from "./collected-time.ts";
import { forgetPace } from "./fuel.ts";
import { currentTurn, markRunning, type Running, takeRunning } from "./turn-clock.ts";

const mib = 1024 * 1024;

/**
 * These limits only keep the process alive. They are generous, since all functions share one heap and garbage
 * counts.
 */
const maxBuffers = 512 * mib;
const maxHeap = 1024 * mib;

/** Processor time of a tick in optimized code, in ms: 0.6 to 1.2 millionths were measured. */
const tickMs = 1e-6;
/** Code that consists of ticks is ended, too: this share of its time counts. */
const leastShare = 0.5;

/** The total of collections at a run's start may be so old, in ms. To read it anew for each run would cost more. */
const collectedBeforeMs = 1_000;
/** The most time of collections that is not counted, in ms. Code that keeps all that it allocates makes V8 collect for seconds. */
const mostForgivenMs = 1_000;

/** A run that used so little time has not filled much memory. */
const checkMemoryAfterMs = 5;

/**
 * From this share of the old generation, functions that keep much end, and from the second one those that keep little. V8 ends the
 * process well before all of it is used.
 */
const [fullShare, lastShare] = [0.6, 0.7];
/** V8's limit includes at most so much for young objects. */
const youngHeap = 192 * mib;
/** The most bytes that a function may have added to the heap in all its turns, at the first and at the second share. */
const [mostWhenFull, leastWhenFull] = [256 * mib, 32 * mib];

/**
 * Memory outside the heap: V8 does not limit it, and the kernel ends a process that has too much. The most bytes of the process, as a
 * share of the machine's memory, beside the most by which it may have grown during an action once it has more.
 */
const [halfMachine, fullMachine] = [0.5, 0.8];
const [mostWhenHalf, mostWhenMachineFull] = [1024 * mib, 128 * mib];
/** On a large machine other programs need memory, too. */
const largeProcess = 4096 * mib;
/** Reading the memory of the process takes longer than a turn may take, so it is read once in this time, in ms. */
const residentEveryMs = 20;

/** Memory that a call needs, in bytes. */
type Need = { readonly buffers: number; readonly heap: number };

/**
 * Memory use of the process, in bytes. `resident` is all of it; it also contains Blobs, which V8 does not count. `share` is that
 * of the old generation.
 */
type MemoryUse = Need & { readonly resident: number; readonly share: number };

function memoryUse(): MemoryUse {
  const { external_memory: buffers, used_heap_size: heap, heap_size_limit: most } = getHeapStatistics();
  return { buffers, heap, resident: residentMemory(), share: heap / (most - youngHeap) };
}

let resident = 0;
let residentAt = -Infinity;

function residentMemory(): number {
  const at = performance.now();
  if (at - residentAt < residentEveryMs) return resident;
  residentAt = at;
  resident = process.memoryUsage.rss();
  return resident;
}

/** The memory that the kernel lets the process have. Without a limit of its own, Node answers 0 or more than there is. */
const machineMemory = Math.min(process.constrainedMemory() || Infinity, totalmem());
const half = Math.min(halfMachine * machineMemory, largeProcess);

/** Whether the process has so much memory that an action must end, during which it has grown so much. */
function isMachineFull(all: number, grown: number): boolean {
  return (
    (all > half && grown > mostWhenHalf) || (all > fullMachine * machineMemory && grown > mostWhenMachineFull)
  );
}

/** The least heap since the last collection that a full heap has caused, in bytes. */
let leastHeap = 0;

/**
 * Whether the heap is so full that an execution must end that has kept so many bytes. Garbage of other executions may have filled
 * it, so garbage is collected first, unless little was added since the last time.
 */
function isHeapFull(now: MemoryUse, kept: number): boolean {
  leastHeap = Math.min(leastHeap, now.heap);
  if (!keepsTooMuch(now.share, kept)) return false;
  if (now.heap - leastHeap < youngHeap) return true;
  collectGarbage();
  const left = memoryUse();
  leastHeap = left.heap;
  return keepsTooMuch(left.share, kept);
}

function keepsTooMuch(share: number, kept: number): boolean {
  return (share > fullShare && kept > mostWhenFull) || (share > lastShare && kept > leastWhenFull);
}

const noMore: Need = { buffers: 0, heap: 0 };

/** Convex's words. */
export const outOfMemory = "JavaScript execution ran out of memory (maximum memory usage: 64 MB)";

/** A function exceeded its time or memory limit. */
export class ExecutionLimitError extends Error {
  override readonly name = "ExecutionLimitError";
}

/** `total` counts all running time. `unbroken` counts only the time since other code could last run. */
type TimeLimit = "total" | "unbroken";

/**
 * Measures the running time of one execution's own code, without its syscalls and without other work of the
 * process. A limit of the total time does not count its ticks either, nor, up to a second, the collection of garbage: all functions share
 * one heap. Once the time is spent, every check throws.
 */
export class ExecutionTime {
  readonly #limit: TimeLimit;
  #usedMs = 0;
  #collectedMs = collectedMs(collectedBeforeMs);
  #forgivenMs = 0;
  #turn = currentTurn();
  #memory: MemoryUse | null = null;
  /** By how much the heap grew while the code ran, in bytes: in this turn, and in those before. Garbage counts. */
  #added = 0;
  #addedBefore = 0;
  /** The memory of the process at the end of the first turn. */
  #atFirst: MemoryUse | null = null;
  #error: ExecutionLimitError | null = null;
  /** Called once, when the execution must end. */
  onSpent: ((error: ExecutionLimitError) => void) | null = null;

  constructor(limit: TimeLimit) {
    this.#limit = limit;
  }

  /** The reason why the execution must not continue; null while it may. */
  get error(): ExecutionLimitError | null {
    return this.#error;
  }

  /** The running time that was counted so far. */
  get usedMs(): number {
    return this.#usedMs;
  }

  /** How long the execution may still run, in whole ms; at least one. */
  get leftMs(): number {
    return Math.max(1, Math.ceil(this.#limitMs - this.#usedMs));
  }

  /** Call it when the execution's code starts, or continues after a syscall. */
  start(): void {
    markRunning(this);
    forgetPace();
  }

  /** Throws ExecutionLimitError once the time is spent. */
  check(): void {
    if (this.#error === null) this.#count();
    if (this.#error !== null) throw this.#error;
  }

  /** Like `check`, but also checks memory. Most runs end before that is worth its price. */
  checkAll(): void {
    this.check();
    if (this.#usedMs >= checkMemoryAfterMs) this.#limitMemory(noMore);
  }

  /** Throws ExecutionLimitError if the execution has no time left, or no memory for so much more. */
  reserve(more: Need): void {
    this.check();
    this.#limitMemory(more);
  }

  /** Ends the execution because a single call would exceed its limit. Throws ExecutionLimitError. */
  exceed(): void {
    this.spend(this.#limitMs);
    this.check();
  }

  /** Ends the execution because it exceeded `limitMs`. */
  spend(limitMs: number): void {
    this.end(`Function execution timed out (maximum duration: ${limitMs / 1_000}s)`);
  }

  /** Ends the execution for a reason, unless it must end for another one. */
  end(message: string): void {
    if (this.#error !== null) return;
    this.#error = new ExecutionLimitError(message);
    this.onSpent?.(this.#error);
  }

  #limitMemory(more: Need): void {
    const now = memoryUse();
    this.#memory ??= now;
    const buffers = now.buffers + more.buffers - this.#memory.buffers;
    const heap = now.heap + more.heap - this.#memory.heap;
    this.#added = Math.max(0, heap);
    const hasOutgrown =
      buffers > maxBuffers || heap > maxHeap || now.resident - this.#memory.resident > maxBuffers + maxHeap;
    if (!hasOutgrown && !isHeapFull(now, this.#addedBefore + heap)) return;
    this.end(outOfMemory);
    this.check();
  }

  #count(): void {
    this.#charge();
    if (this.#usedMs >= this.#limitMs && this.#limit === "total") this.#forgiveCollections();
    if (this.#usedMs >= this.#limitMs) this.spend(this.#limitMs);
  }

  #forgiveCollections(): void {
    const collected = collectedMs(0);
    const forgiven = Math.min(collected - this.#collectedMs, mostForgivenMs - this.#forgivenMs, this.#usedMs);
    this.#collectedMs = collected;
    this.#forgivenMs += forgiven;
    this.#usedMs -= forgiven;
  }

  get #limitMs(): number {
    return this.#limit === "total" ? limits.userTimeMs : limits.unbrokenMs;
  }

  #charge(): void {
    const running = takeRunning(this);
    const ranMs = this.#limit === "total" ? withoutTicks(running) : running.ms;
    const isNewTurn = currentTurn() !== this.#turn;
    this.#turn = currentTurn();
    const isAnew = this.#limit === "unbroken" && isNewTurn;
    this.#usedMs = isAnew ? ranMs : this.#usedMs + ranMs;
    if (!isAnew) return;
    const now = memoryUse();
    this.#memory = now;
    this.#addedBefore += this.#added;
    this.#added = 0;
    // Turns may be too short to be measured. Then the growth of the process must tell.
    this.#atFirst ??= now;
    const outside = Math.max(now.buffers - this.#atFirst.buffers, now.resident - this.#atFirst.resident);
    if (isHeapFull(now, now.heap - this.#atFirst.heap) || isMachineFull(now.resident, outside))
      this.end(outOfMemory);
  }
}

/** The time that the code would have taken without ticks, which Convex does not have. */
function withoutTicks({ ms, fuel }: Running): number {
  return Math.max(ms - fuel * tickMs, ms * leastShare);
}
