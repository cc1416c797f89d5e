import { limits } from "../checks/limits.ts";
import { collectedMs } from "./collected-time.ts";
import { forgetPace, takePromises } from "./fuel.ts";
import {
  collectSoon,
  type Growth,
  growth,
  isHeapFull,
  isMachineFull,
  type MemoryUse,
  memoryUse,
  type Need,
  outOfMemory,
} from "./memory/memory-use.ts";
import { PromiseFlood } from "./memory/promise-flood.ts";
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

const noMore: Need = { buffers: 0, heap: 0 };

/** By how much the heap has grown while code of an action and of the actions that it called ran, in bytes. Garbage counts. */
export type SharedMemory = { kept: number };

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
  readonly #shared: SharedMemory;
  #usedMs = 0;
  #collectedMs = collectedMs(collectedBeforeMs);
  #forgivenMs = 0;
  #turn = currentTurn();
  #memory: MemoryUse | null = null;
  /** By how much the heap grew while the code ran, in bytes: in this turn, and in those before. Garbage counts. */
  #added = 0;
  #addedBefore = 0;
  /** The memory of the process when it was first measured: at the end of the first turn, or by the watch. */
  #atFirst: MemoryUse | null = null;
  /** Bytes of buffers that tasks will need. */
  #held = 0;
  readonly #promises = new PromiseFlood();
  #error: ExecutionLimitError | null = null;
  /** Whether its own code was found to have too much memory. After an end by the watch, the watch collects garbage. */
  #hasOutgrown = false;
  /** Called once, when the execution must end. */
  onSpent: ((error: ExecutionLimitError) => void) | null = null;

  /** @param shared what this execution keeps together with those of the same request */
  constructor(limit: TimeLimit, shared: SharedMemory = { kept: 0 }) {
    this.#limit = limit;
    this.#shared = shared;
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

  /** By how much the process has grown since this was first asked. */
  grown(now: MemoryUse): Growth {
    this.#atFirst ??= now;
    return growth(this.#atFirst, now);
  }

  /** How many bytes code of this execution, and of those that share its memory, has added to the heap as far as that was measured. */
  get kept(): number {
    return this.#shared.kept;
  }

  /** Call it when the execution has ended, and its world, so that its memory is given back. */
  release(): void {
    this.#shared.kept -= this.#addedBefore + this.#added;
    this.#addedBefore = 0;
    this.#added = 0;
    if (this.#hasOutgrown) collectSoon();
    this.#hasOutgrown = false;
  }

  /** Like `check`, but also checks memory. Most runs end before that is worth its price. */
  checkAll(): void {
    this.check();
    if (this.#promises.isFull(takePromises())) {
      this.#outgrow();
      this.check();
    }
    if (this.#usedMs >= checkMemoryAfterMs) this.#limitMemory(noMore);
  }

  /** Throws ExecutionLimitError if the execution has no time left, or no memory for so much more. */
  reserve(more: Need): void {
    this.check();
    this.#limitMemory(more);
  }

  /** Runs a task that needs so many bytes of buffers until it ends. Throws ExecutionLimitError if there is no memory for them. */
  async hold<T>(bytes: number, run: () => Promise<T>): Promise<T> {
    this.#held += bytes;
    try {
      this.reserve({ buffers: this.#held, heap: 0 });
      return await run();
    } finally {
      this.#held -= bytes;
    }
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
    this.#keep(Math.max(0, heap));
    const hasOutgrown =
      buffers > maxBuffers || heap > maxHeap || now.resident - this.#memory.resident > maxBuffers + maxHeap;
    if (!hasOutgrown && !isHeapFull(now, this.#shared.kept)) return;
    this.#outgrow();
    this.check();
  }

  #outgrow(): void {
    this.#hasOutgrown = true;
    this.end(outOfMemory);
  }

  /** Notes by how much the heap grew in this turn. */
  #keep(bytes: number): void {
    this.#shared.kept += bytes - this.#added;
    this.#added = bytes;
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
    const grown = this.grown(now);
    if (isHeapFull(now, grown.heap) || isMachineFull(now, grown)) this.#outgrow();
  }
}

/** The time that the code would have taken without ticks, which Convex does not have. */
function withoutTicks({ ms, fuel }: Running): number {
  return Math.max(ms - fuel * tickMs, ms * leastShare);
}
