import { getHeapStatistics } from "node:v8";
import { limits } from "../checks/limits.ts";
import { forgetPace } from "./fuel.ts";
import { currentTurn, markRunning, takeRunningMs } from "./turn-clock.ts";

const mib = 1024 * 1024;

/** Generous, since others run in the same heap and what is garbage counts: what these end would end the process. */
const maxBuffers = 512 * mib;
const maxHeap = 1024 * mib;

/** What the process has in use, in bytes. */
type MemoryUse = { readonly buffers: number; readonly heap: number };

function memoryUse(): MemoryUse {
  const { external_memory: buffers, used_heap_size: heap } = getHeapStatistics();
  return { buffers, heap };
}

/** Whether the process has taken so much that the code which has run meanwhile must end. */
function hasOutgrown(before: MemoryUse): boolean {
  const { buffers, heap } = memoryUse();
  return buffers - before.buffers > maxBuffers || heap - before.heap > maxHeap;
}

/** A function has run for longer, or taken more memory, than it may. */
export class ExecutionLimitError extends Error {
  override readonly name = "ExecutionLimitError";
}

/** `total`: all that it runs counts. `unbroken`: what it runs without letting others run. */
export type TimeLimit = "total" | "unbroken";

/**
 * The running time of one execution: what its own code takes, without its syscalls and without what others keep the
 * process busy with. Once it is spent, every check throws.
 */
export class ExecutionTime {
  readonly #limit: TimeLimit;
  #usedMs = 0;
  #turn = currentTurn();
  #memory: MemoryUse | null = null;
  #error: ExecutionLimitError | null = null;
  /** Told once, when it must end. */
  onSpent: ((error: ExecutionLimitError) => void) | null = null;

  constructor(limit: TimeLimit) {
    this.#limit = limit;
  }

  /** Why it must not go on; null while it may. */
  get error(): ExecutionLimitError | null {
    return this.#error;
  }

  /** Its code begins to run, or to run again after a syscall. */
  start(): void {
    markRunning(this);
    forgetPace();
  }

  /** Throws ExecutionLimitError once the time is spent. */
  check(): void {
    if (this.#error === null) this.#count();
    if (this.#error !== null) throw this.#error;
  }

  /** As `check`, for memory too. */
  checkAll(): void {
    this.check();
    this.#memory ??= memoryUse();
    if (!hasOutgrown(this.#memory)) return;
    this.#end("JavaScript execution ran out of memory (maximum memory usage: 64 MB)");
    this.check();
  }

  /** Ends it: no more than `limitMs` were granted. */
  spend(limitMs: number): void {
    if (this.#error !== null) return;
    this.#end(`Function execution timed out (maximum duration: ${limitMs / 1_000}s)`);
  }

  #end(message: string): void {
    this.#error = new ExecutionLimitError(message);
    this.onSpent?.(this.#error);
  }

  #count(): void {
    this.#charge();
    const limitMs = this.#limit === "total" ? limits.userTimeMs : limits.unbrokenMs;
    if (this.#usedMs >= limitMs) this.spend(limitMs);
  }

  #charge(): void {
    const ranMs = takeRunningMs(this);
    const isNewTurn = currentTurn() !== this.#turn;
    this.#turn = currentTurn();
    const isAnew = this.#limit === "unbroken" && isNewTurn;
    this.#usedMs = isAnew ? ranMs : this.#usedMs + ranMs;
    if (isAnew) this.#memory = null;
  }
}
