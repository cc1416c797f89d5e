/** The ticks that pass, at most, until the clock is looked at. */
const maxGrant = 128;

/** Between two looks at the clock: from here on, each tick does it. */
const lateMs = 0.5;

/** How often, at most, an execution is checked, in ms. */
const checkEveryMs = 1;

/** The ticks' counter, which scripts count down. An element is nearly as fast as a variable, and can be reset. */
export const fuel = new Int32Array(1);

let grant = 1;
let lookedAt = 0;
let checkedAt = 0;

/** Other code runs now than before: how costly its ticks are is not known. */
export function forgetPace(): void {
  fuel[0] = 0;
  grant = 1;
}

/**
 * Called by the tick that finds no fuel. Grants more, the more the cheaper the ticks have been: a loop of few costly
 * rounds is then looked at in each. `check` throws for what must not go on; then there is no fuel.
 */
export function refuel(check: () => void): void {
  fuel[0] = 0;
  const at = performance.now();
  if (at - checkedAt >= checkEveryMs) {
    check();
    checkedAt = at;
  }
  grant = at - lookedAt > lateMs ? 1 : Math.min(2 * grant, maxGrant);
  lookedAt = at;
  fuel[0] = grant;
}
