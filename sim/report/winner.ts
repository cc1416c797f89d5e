import { jobMeanMs, prefixMs } from "../figures.ts";
import type { PolicyFigures } from "./figures-of.ts";

/** The bar for the queue: at most a twentieth of the published pattern's conflicts; where it has few, so many. */
const baselineName = "shared-head";
const conflictsOfBaseline = 1 / 20;
const fewConflicts = 0.05;
/** Later starts than the best's by less than this nobody notices. */
const unnoticedMs = 100;

/**
 * Two bars, then one figure. Out is whoever has too many conflicts, and of the rest whoever starts jobs noticeably
 * later (p95) than the best. Of those that are left the one wins that loses the least device time.
 */
export function winnerOf(policies: { readonly [name: string]: PolicyFigures }): string {
  const all = Object.entries(policies);
  const baseline = policies[baselineName]?.conflictsPerJob ?? Number.POSITIVE_INFINITY;
  const most = Math.max(fewConflicts, baseline * conflictsOfBaseline);
  const calm = all.filter(([, { conflictsPerJob }]) => conflictsPerJob <= most);
  const best = Math.min(...calm.map(([, { p95 }]) => p95));
  const prompt = calm.filter(([, { p95 }]) => p95 <= best + unnoticedMs);
  const ranked = prompt.toSorted(([, a], [, b]) => lostTime(a) - lostTime(b));
  return ranked[0]?.[0] ?? "none";
}

/** Idle while a job waits, or at work on a prefix that another device holds: as a share of the work. */
export function lostTime({ idleWhileWaiting, cacheHits }: PolicyFigures): number {
  return idleWhileWaiting + ((1 - cacheHits) * prefixMs) / (jobMeanMs + prefixMs);
}
