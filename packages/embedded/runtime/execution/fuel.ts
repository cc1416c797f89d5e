/** Most fuel between two reads of the clock: for 1,024 calls, or for 8,192 rounds of a loop that only computes. */
const maxGrant = 1_024;

/** If more time passes between two reads of the clock, in ms, every tick reads it. */
const lateMs = 0.5;

/** Shortest time between two checks of an execution, in ms. */
const checkEveryMs = 1;

/**
 * The counter that the scripts' ticks decrement, and one of the promises that they have made. An array element is nearly as fast as
 * a variable, and we can reset it.
 */
export const fuel = new Int32Array(2);

let grant = 1;
let given = 0;
let takenBefore = 0;
let lookedAt = 0;
let checkedAt = 0;

/** The fuel that all ticks have taken so far. */
export function fuelTaken(): number {
  return takenBefore + given - (fuel[0] as number);
}

/** How many promises code has made since this was last asked. */
export function takePromises(): number {
  const made = fuel[1] as number;
  fuel[1] = 0;
  return made;
}

function giveFuel(amount: number): void {
  takenBefore = fuelTaken();
  given = amount;
  fuel[0] = amount;
}

/** Call it when other code starts to run, since the cost of its ticks is unknown. */
export function forgetPace(): void {
  giveFuel(0);
  grant = 1;
}

/**
 * Called by a tick that finds no fuel. Grants more fuel the cheaper the ticks were, so that a loop with few but
 * slow rounds is checked in each round. `check` throws if the execution must end; then no fuel is granted. It returns whether it has
 * looked.
 */
export function refuel(check: () => boolean): void {
  giveFuel(0);
  const at = performance.now();
  if (at - checkedAt >= checkEveryMs && check()) checkedAt = at;
  grant = at - lookedAt > lateMs ? 1 : Math.min(2 * grant, maxGrant);
  lookedAt = at;
  giveFuel(grant);
}
