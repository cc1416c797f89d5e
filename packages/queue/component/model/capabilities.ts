import type { Capabilities } from "../validators.ts";

/** The most jobs that one worker may hold. */
export const maxHeld = 16;

/** How many jobs a worker runs at once, and how many it may hold. One, where it does not say. */
export function capacityOf(capabilities: Capabilities | undefined): {
  readonly running: number;
  readonly held: number;
} {
  const running = Math.min(maxHeld, capabilities?.concurrency ?? 1);
  return { running, held: Math.min(maxHeld, running + (capabilities?.prefetch ?? 0)) };
}
