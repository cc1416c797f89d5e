import {
  isLow,
  isOnProbation,
  probationReplays,
  type Standing,
  type StandingEvent,
  standingEvents,
} from "./standing.ts";

/**
 * How a device stands, in a word. `wrong`, `overclaimed`: cases ended against it. `new`: too few of its answers were replayed. `unsure`:
 * all of them are.
 */
export const standingRanks = ["wrong", "overclaimed", "new", "unsure", "good"] as const;
export type StandingRank = (typeof standingRanks)[number];

export function rankOf(standing: Standing): StandingRank {
  const { wrong = 0, overclaimed = 0 } = standing.counts;
  if (isLow(standing) && wrong + overclaimed > 0) return wrong > 0 ? "wrong" : "overclaimed";
  if (isOnProbation(standing)) return "new";
  return isLow(standing) ? "unsure" : "good";
}

/** These tell when an answer was replayed, or that it was not. */
const secretEvents: readonly StandingEvent[] = ["fits", "unclear", "result"];

/** The part of its own standing with a model that a device learns. */
export type ToldStanding = Pick<Standing, "passed" | "counts"> & { readonly rank: StandingRank };

/**
 * A standing as its device learns it: without what tells when its answers are replayed. Right after a replay the next one is least likely,
 * so a device that knew it could answer otherwise then. During the probation all answers are replayed.
 */
export function toldStanding(standing: Standing): ToldStanding {
  const told = standingEvents.filter((event) => !secretEvents.includes(event));
  const counts = Object.fromEntries(
    told.flatMap((event) => {
      const count = standing.counts[event] ?? 0;
      return count === 0 ? [] : [[event, count]];
    }),
  );
  const passed = isOnProbation(standing) ? standing.passed : probationReplays;
  return { rank: rankOf(standing), passed, counts };
}
