/** How long others may wait for a turn of the event loop before a function's syscall lets them go first. */
const longTurnMs = 20;

/** What an execution is charged, at most, for time that another may have spent. */
const maxForeignMs = 50;

// Since when, in ms, the event loop has been in its present turn; null while nobody has asked in it.
let turnStarted: number | null = null;
let turn = 0;
let marked = 0;
let markedBy: object | null = null;

/**
 * Starts to count the running time of `owner`, which has just begun to run or comes out of a syscall. Time is
 * counted within one turn of the event loop: over its end, an owner waits and does not run.
 */
export function markRunning(owner: object): void {
  marked = now();
  markedBy = owner;
}

/** What `owner` has run since the last mark, in ms, and marks anew. */
export function takeRunningMs(owner: object): number {
  const isNewTurn = turnStarted === null;
  const at = now();
  const elapsed = isNewTurn ? 0 : at - marked;
  // Several that never yield take turns within one: each pays for a part.
  const charged = markedBy === owner ? elapsed : Math.min(elapsed, maxForeignMs);
  marked = at;
  markedBy = owner;
  return charged;
}

/** The number of the event loop's turn, as far as turns were looked at. */
export function currentTurn(): number {
  return turn;
}

/** Whether the event loop has been kept in one turn for too long for others. */
export function isTurnLong(): boolean {
  const at = now();
  return at - (turnStarted ?? at) > longTurnMs;
}

/** Resolves once the event loop has seen to everything else. */
export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function now(): number {
  const at = performance.now();
  if (turnStarted === null) {
    turnStarted = at;
    setImmediate(endTurn);
  }
  return at;
}

function endTurn(): void {
  turnStarted = null;
  turn += 1;
}
