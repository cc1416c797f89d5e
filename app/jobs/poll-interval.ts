/** How far a job is that somebody waits for. `streaming`: its reader has text already, and wants the rest as it comes. */
export type WaitStage = "queued" | "running" | "streaming";

const leastMs = 30;

/** Each interval is this share of the time that the stage has lasted, so a wait grows by at most this share. */
const pace: { readonly [Stage in WaitStage]: { readonly share: number; readonly mostMs: number } } = {
  // No device has the job, so nothing can come before one takes it.
  queued: { share: 1 / 2, mostMs: 5_000 },
  running: { share: 1 / 8, mostMs: 2_000 },
  // Devices send the beginning of a text closely, and then a chunk about as often.
  streaming: { share: 1 / 4, mostMs: 700 },
};

/**
 * How long a poller waits until it asks again, in milliseconds.
 * @param sinceMs how long the stage has lasted
 */
export function pollIntervalMs(stage: WaitStage, sinceMs: number): number {
  const { share, mostMs } = pace[stage];
  return Math.min(mostMs, Math.max(leastMs, sinceMs * share));
}
