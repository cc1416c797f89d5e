import { plural } from "../format/quantity.ts";
import type { CountedRatings } from "./ratings.ts";

/*
 * The standing of a device with one model: how likely its next answer is right. It is a beta distribution, which counts good and bad
 * events, and forgets old ones.
 */

/**
 * Events that tell something about a device and a model:
 * - `fits`, `unclear`: the results of replays.
 * - `wrong`: a case ended against the device. `cleared`: a case ended for it.
 * - `overclaimed`: a case found that the device reported far more tokens than its answer has.
 * - `result`: an answer that nobody replayed.
 * - `abort`, `loss`, `timeout`, `failure`: an attempt without an answer: given back, with a lost connection, too long, or failed where
 *   another device did the job.
 * - `misjudged`: as a checker, it was alone with its verdict.
 * - `praised`, `criticized`: ratings of requesters. `upheld`: an administrator found that a disputed answer is wrong. Ratings change
 *   and are removed, so `withRatings` adds them when a standing is read, and no stored standing has them.
 */
export const standingEvents = [
  "fits",
  "unclear",
  "wrong",
  "overclaimed",
  "cleared",
  "result",
  "abort",
  "loss",
  "timeout",
  "failure",
  "misjudged",
  "praised",
  "criticized",
  "upheld",
] as const;
export type StandingEvent = (typeof standingEvents)[number];

/** All numbers are as of `at`; they fade from then on. */
export type Standing = {
  readonly good: number;
  readonly bad: number;
  /** Passed replays, which end the probation. */
  readonly passed: number;
  /** How often replays were odd lately, in sum: a device that is slightly wrong each time is found by this. */
  readonly drift: number;
  /** How often each event happened. These do not fade by time alone; they are the reasons. */
  readonly counts: Readonly<Partial<Record<StandingEvent, number>>>;
  /** ms epoch. */
  readonly at: number;
};

/** How much an event counts for and against a device. People come back and close laptops, so aborts and losses count little. */
const weights: Readonly<Record<StandingEvent, { readonly good: number; readonly bad: number }>> = {
  fits: { good: 1, bad: 0 },
  cleared: { good: 1, bad: 0 },
  result: { good: 0.02, bad: 0 },
  unclear: { good: 0, bad: 0.25 },
  abort: { good: 0, bad: 0.01 },
  loss: { good: 0, bad: 0.01 },
  timeout: { good: 0, bad: 0.1 },
  failure: { good: 0, bad: 0.1 },
  misjudged: { good: 0, bad: 4 },
  praised: { good: 0.02, bad: 0 },
  criticized: { good: 0, bad: 0.1 },
  upheld: { good: 0, bad: 0.5 },
  wrong: { good: 0, bad: 20 },
  overclaimed: { good: 0, bad: 20 },
};

const dayMs = 24 * 3_600_000;
/** After this time an event counts half. */
const halfLifeMs = 30 * dayMs;
/** The same for the probation, so that a device with a few jobs a week does not begin it anew. */
const recordHalfLifeMs = 180 * dayMs;
/** Ratings of requesters count for this long. */
export const ratedWithinMs = 90 * dayMs;
/** Before anything is known, good and bad are as likely. */
const prior = 1;
/** Passed replays that a device needs until it is paid at once. */
export const probationReplays = 5;
/** They fade a little even while it passes them. */
const fadedReplays = probationReplays - 0.5;
/** The excess that an honest answer stays below on average. Each replay takes this much of the drift back. */
export const usualExcess = 0.5;
/** One odd replay adds no more drift than this. */
export const mostExcess = 3;
/** The drift at which the answers together are a mismatch. */
export const mostDrift = 4;

export function newStanding(now: number): Standing {
  return { good: 0, bad: 0, passed: 0, drift: 0, counts: {}, at: now };
}

/** The standing as of now. A clock that went back changes nothing. */
export function faded(standing: Standing, now: number): Standing {
  const elapsedMs = Math.max(0, now - standing.at);
  const share = 0.5 ** (elapsedMs / halfLifeMs);
  const { good, bad, passed, drift } = standing;
  return {
    ...standing,
    good: good * share,
    bad: bad * share,
    passed: passed * 0.5 ** (elapsedMs / recordHalfLifeMs),
    drift: drift * share,
    at: Math.max(now, standing.at),
  };
}

/** @param excess of a replay: how far the answer was from an honest one, by `excessOf`. */
export function withEvent(standing: Standing, event: StandingEvent, now: number, excess = 0): Standing {
  const before = faded(standing, now);
  const { good, bad } = weights[event];
  const isReplay = event === "fits" || event === "unclear";
  const endsTrust = event === "wrong" || event === "overclaimed";
  return {
    ...before,
    good: before.good + good,
    bad: before.bad + bad,
    passed: endsTrust ? 0 : before.passed + (event === "fits" || event === "cleared" ? 1 : 0),
    drift: isReplay ? driftAfter(before.drift, excess) : event === "cleared" ? 0 : before.drift,
    counts: { ...before.counts, [event]: (before.counts[event] ?? 0) + 1 },
  };
}

/**
 * The standing with the ratings of requesters, for a decision or a page. Do not store it: the ratings would count again and again.
 * They are too light to put a device out. Many of them have its answers replayed more often.
 */
export function withRatings(standing: Standing, ratings: CountedRatings): Standing {
  const counted = ["praised", "criticized", "upheld"] as const;
  const sum = (side: "good" | "bad"): number =>
    counted.reduce((total, event) => total + ratings[event] * weights[event][side], 0);
  const counts = Object.fromEntries(
    counted.flatMap((event) => (ratings[event] === 0 ? [] : [[event, ratings[event]]])),
  );
  return {
    ...standing,
    good: standing.good + sum("good"),
    bad: standing.bad + sum("bad"),
    counts: { ...standing.counts, ...counts },
  };
}

/** A cumulative sum (Page): it grows while answers are odder than usual, and falls to 0 while they are not. */
function driftAfter(drift: number, excess: number): number {
  return Math.max(0, drift + Math.min(mostExcess, excess) - usualExcess);
}

/** Whether a replay that fits by itself makes one odd answer too many. */
export function isDrifting({ drift }: Standing): boolean {
  return drift > mostDrift;
}

/** How likely the next answer is right: the mean of the distribution. */
export function meanOf({ good, bad }: Pick<Standing, "good" | "bad">): number {
  return (prior + good) / (2 * prior + good + bad);
}

/** The chance is above this with a certainty of about 95 %: 1.645 standard deviations below the mean, and at least 0. */
export function lowerBoundOf(standing: Pick<Standing, "good" | "bad">): number {
  const { good, bad } = standing;
  const mean = meanOf(standing);
  const deviation = Math.sqrt((mean * (1 - mean)) / (2 * prior + good + bad + 1));
  return Math.max(0, mean - 1.645 * deviation);
}

/** Whether the device's pay is held until its answers are replayed. */
export function isOnProbation({ passed }: Pick<Standing, "passed">): boolean {
  return passed < fadedReplays;
}

/** The moment after which the device's pay is held if no more replays fit, ms epoch; 0: it is held now. */
export function probationFrom(standing: Pick<Standing, "passed" | "at">): number {
  const { passed, at } = standing;
  return isOnProbation(standing) ? 0 : at + recordHalfLifeMs * Math.log2(passed / fadedReplays);
}

/** Below this lower bound of its standing all answers of a device are replayed. */
const leastLowerBound = 0.5;

/** Whether too much speaks against a device and a model, for what is known of them. */
export function isLow(standing: Pick<Standing, "good" | "bad">): boolean {
  return lowerBoundOf(standing) < leastLowerBound;
}

/** Whether too little is known of a device and a model, or too much speaks against it. */
export function isUnsure(standing: Pick<Standing, "good" | "bad" | "passed">): boolean {
  return isOnProbation(standing) || isLow(standing);
}

const words: Readonly<Record<StandingEvent, (count: number) => string>> = {
  fits: (count) =>
    plural(count, [
      "# answer was replayed and fits the model.",
      "# answers were replayed and fit the model.",
    ]),
  unclear: (count) => plural(count, ["# replayed answer was odd.", "# replayed answers were odd."]),
  wrong: (count) =>
    plural(count, [
      "# answer is not of this model: two other devices agree.",
      "# answers are not of this model: two other devices agree.",
    ]),
  overclaimed: (count) =>
    plural(count, [
      "# answer has far fewer tokens than were reported: two other devices agree.",
      "# answers have far fewer tokens than were reported: two other devices agree.",
    ]),
  cleared: (count) => plural(count, ["# doubted answer was right.", "# doubted answers were right."]),
  result: (count) =>
    plural(count, ["# answer was accepted without a replay.", "# answers were accepted without a replay."]),
  abort: (count) => plural(count, ["# job was given back.", "# jobs were given back."]),
  loss: (count) =>
    plural(count, ["# job was lost with the connection.", "# jobs were lost with the connection."]),
  failure: (count) =>
    plural(count, [
      "# job failed here, and another device did it.",
      "# jobs failed here, and other devices did them.",
    ]),
  timeout: (count) => plural(count, ["# job did not end in time.", "# jobs did not end in time."]),
  misjudged: (count) =>
    plural(count, [
      "# replay on this device had another result than all others.",
      "# replays on this device had another result than all others.",
    ]),
  praised: (count) =>
    plural(count, ["# rating of a requester was good.", "# ratings of requesters were good."]),
  criticized: (count) =>
    plural(count, ["# rating of a requester was bad.", "# ratings of requesters were bad."]),
  upheld: (count) =>
    plural(count, [
      "# answer was disputed, and an administrator found it wrong.",
      "# answers were disputed, and an administrator found them wrong.",
    ]),
};

/** Why a device stands as it does, in sentences: the weightiest first. */
export function reasonsOf(standing: Pick<Standing, "passed" | "counts">): readonly string[] {
  const weightOf = (event: StandingEvent): number =>
    (standing.counts[event] ?? 0) * (weights[event].good + weights[event].bad);
  const counted = standingEvents.filter((event) => (standing.counts[event] ?? 0) > 0);
  const sentences = counted
    .toSorted((a, b) => weightOf(b) - weightOf(a))
    .map((event) => words[event](standing.counts[event] ?? 0));
  if (!isOnProbation(standing)) return sentences;
  const left = Math.ceil(probationReplays - standing.passed);
  return [
    ...sentences,
    plural(left, [
      "# more replay has to fit before it counts as known.",
      "# more replays have to fit before it counts as known.",
    ]),
  ];
}
