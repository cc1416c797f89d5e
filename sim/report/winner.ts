import { jobMeanMs, prefixMs } from "../figures.ts";
import type { PolicyFigures } from "./figures-of.ts";

/** At most a twentieth of the published pattern's conflicts per job, or this many if the pattern has few. */
const baselineName = "shared-head";
const conflictsOfBaseline = 1 / 20;
const fewConflicts = 0.05;
/** Nobody notices a start that is later by less than this, in ms. */
const unnoticedMs = 100;

/**
 * Two bars and one figure. Policies with too many conflicts are out, and then those that start jobs noticeably
 * later (p95) than the best. Of the rest, the one that loses the least device time wins.
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

/**
 * The lost device time as a share of the work: idle while a job waits, or reading a prefix that another
 * device has.
 */
export function lostTime({ idleWhileWaiting, cacheHits }: PolicyFigures): number {
  return idleWhileWaiting + ((1 - cacheHits) * prefixMs) / (jobMeanMs + prefixMs);
}
