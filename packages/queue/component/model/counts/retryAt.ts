/** Counts are taken so often, in ms; what is full stays so at least until the next one. */
export const countEveryMs = 60_000;
const notDrainingMs = 5 * countEveryMs;

export type Count = { readonly queued: number; readonly countedAt: number };

/**
 * When it is worth asking again what had more queued than it may: at the rate at which it drained since the count
 * before, during which nothing was let in. ms epoch.
 * @param before null when it was not full then: its rate is not known.
 */
export function retryAtOf(now: Count, before: Count | null, max: number): number {
  const soonest = now.countedAt + countEveryMs;
  if (before === null) return soonest;
  const perMs = (before.queued - now.queued) / Math.max(1, now.countedAt - before.countedAt);
  if (perMs <= 0) return now.countedAt + notDrainingMs;
  return Math.max(soonest, Math.ceil(now.countedAt + (now.queued - max + 1) / perMs));
}
