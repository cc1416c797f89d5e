import { fuelTaken } from "./fuel.ts";

/** After this time in one turn of the event loop, in ms, a function's syscall lets other work go first. */
const longTurnMs = 20;

/**
 * The time that this thread has computed, in ms. Unlike a clock it does not pass while other programs have the processor,
 * so that a busy machine fails no function. Before Node 23.9 it is a clock.
 */
const computedMs =
  "threadCpuUsage" in process
    ? (): number => {
        const { user, system } = process.threadCpuUsage();
        return (user + system) / 1_000;
      }
    : (): number => performance.now();

/** Reading the computed time takes longer than reading a clock, so it is read once in this time, in ms. */
const computedEveryMs = 2;

/** Most time to charge to an execution if another one may have spent it, in ms. */
const maxForeignMs = 50;

// Start of the event loop's present turn, in ms; null if the clock was not read in this turn yet.
let turnStarted: number | null = null;
let turn = 0;
let marked = 0;
let computed = computedMs();
let computedAt = performance.now();
// When the present turn started.
let computedBefore = computed;
let markedBy: object | null = null;
let fuelAtMark = 0;

/** A part of an execution's running time, in ms, and the fuel that its ticks have taken meanwhile. */
export type Running = { readonly ms: number; readonly fuel: number };

/**
 * Starts to count the running time of `owner`, which has just started or returned from a syscall. Time counts
 * only within one turn of the event loop, since an owner that waits for the next turn is not running.
 */
export function markRunning(owner: object): void {
  noteTurn();
  marked = performance.now();
  markedBy = owner;
  fuelAtMark = fuelTaken();
}

/** Returns the running time of `owner` since the last mark, and sets a new mark. */
export function takeRunning(owner: object): Running {
  const isNewTurn = turnStarted === null;
  noteTurn();
  const at = performance.now();
  const elapsed = isNewTurn ? 0 : Math.min(at - marked, computedSince(at));
  // Several executions that never yield may alternate within one turn: each pays a part.
  const charged = markedBy === owner ? elapsed : Math.min(elapsed, maxForeignMs);
  const taken = fuelTaken();
  const running = { ms: charged, fuel: taken - fuelAtMark };
  marked = at;
  markedBy = owner;
  fuelAtMark = taken;
  return running;
}

/** The number of the event loop's turn. Only turns in which the clock was read count. */
export function currentTurn(): number {
  return turn;
}

/** Whether this thread has computed for more than so many ms in the present turn of the event loop. */
export function hasComputed(ms: number): boolean {
  // Reading the clock takes less.
  return turnMs() > ms && computedMs() - computedBefore > ms;
}

/** Whether the present turn of the event loop delays other work for too long. */
export function isTurnLong(): boolean {
  return turnMs() > longTurnMs;
}

/** Resolves after the event loop has handled all other pending work. */
export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** How long the present turn of the event loop has lasted, in ms. */
function turnMs(): number {
  return performance.now() - noteTurn();
}

/** Notes that a turn has started, unless that is known. Returns when it started. */
function noteTurn(): number {
  if (turnStarted === null) {
    turnStarted = performance.now();
    computedSince(turnStarted);
    computedBefore = computed;
    setImmediate(endTurn);
  }
  return turnStarted;
}

/** Returns the time that this thread has computed since the last reading; Infinity if that was just now. */
function computedSince(at: number): number {
  if (at - computedAt < computedEveryMs) return Infinity;
  const before = computed;
  computed = computedMs();
  computedAt = at;
  return computed - before;
}

function endTurn(): void {
  turnStarted = null;
  turn += 1;
}
