import { type EnergySum, mergeEnergy } from "../energy/energy-sum.ts";
import { emptySketch, mergeSketches, type Sketch } from "./sketch.ts";

/** Jobs are tallied together, and by each of these. */
export const subjectKinds = [
  "all",
  "model",
  "lane",
  "key",
  /** The owner of the key, if it is a member. */
  "member",
  /** The owner of the key, if it is a team. */
  "team",
  "device",
  /** The groups of the device. */
  "group",
] as const;
export type SubjectKind = (typeof subjectKinds)[number];

/** Counters of a subject. Of a device they are about its attempts, else about jobs. */
export const counters = [
  "succeeded",
  "failed",
  "canceled",
  "expired",
  /** Attempts that failed, and their jobs went on. Of a device they are among the failed ones. */
  "retried",
  /** Attempts that a device gave back, did not start, lost to another device, or was outrun in. */
  "returned",
  /** Attempts whose device fell silent. */
  "lost",
  /** Jobs that a device took from beyond its part of the queue, or from another device's reserve. */
  "stolen",
  "promptTokens",
  "completionTokens",
] as const;
export type Counter = (typeof counters)[number];

/** The ends of a subject's jobs in a period, counted. Tallies merge by addition. */
export type Tally = Record<Counter, number> & {
  /** Credits that the jobs cost, in millionths. */
  micro: bigint;
  /** The energy of its jobs, as far as devices told it. Absent: none did. */
  energy?: EnergySum;
  /** From submission to the first start of a job. */
  wait: Sketch;
  /** From the start of an attempt to its answer. */
  run: Sketch;
};

export function emptyTally(): Tally {
  const none = Object.fromEntries(counters.map((counter) => [counter, 0])) as Record<Counter, number>;
  return { ...none, micro: 0n, wait: emptySketch(), run: emptySketch() };
}

/** The tally of the jobs of all of them. */
export function mergeTallies(tallies: readonly Tally[]): Tally {
  const sum = emptyTally();
  for (const tally of tallies) {
    for (const counter of counters) sum[counter] += tally[counter];
    sum.micro += tally.micro;
  }
  const energy = mergeEnergy(tallies.map((tally) => tally.energy));
  if (energy !== undefined) sum.energy = energy;
  sum.wait = mergeSketches(tallies.map(({ wait }) => wait));
  sum.run = mergeSketches(tallies.map(({ run }) => run));
  return sum;
}

/** Jobs, or attempts of a device, that ended for good. */
export function endsOf({ succeeded, failed, canceled, expired }: Tally): number {
  return succeeded + failed + canceled + expired;
}

/** A model, a lane, a key or a device, and its tally. */
export type SubjectTally = { subject: string; tally: Tally };

/** The most subjects of one kind that a bucket tells apart. */
export const mostSubjects = 50;
/** The subject that has the tallies of all others. */
export const otherSubject = "";
/** The subject of keys that no member or no team owns, and of devices without a group. */
export const noSubject = "none";

/**
 * Merges lists of tallies, so that each subject has one. Beyond `most`, the smaller ones are added to the subject
 * "".
 * @param kept subjects that stay, whatever their size: a counter that others read must not go back.
 * @param most the subjects that are told apart.
 */
export function mergeSubjects(
  lists: readonly (readonly SubjectTally[])[],
  kept: ReadonlySet<string> = new Set(),
  most = mostSubjects,
): SubjectTally[] {
  const tallies = new Map<string, Tally[]>();
  for (const { subject, tally } of lists.flat()) {
    const known = tallies.get(subject);
    if (known === undefined) tallies.set(subject, [tally]);
    else known.push(tally);
  }
  const others = tallies.get(otherSubject) ?? [];
  tallies.delete(otherSubject);
  const ranked = [...tallies].map(([subject, parts]) => ({ subject, tally: mergeTallies(parts) }));
  ranked.sort(
    (a, b) =>
      Number(kept.has(b.subject)) - Number(kept.has(a.subject)) ||
      weightOf(b.tally) - weightOf(a.tally) ||
      (a.subject < b.subject ? -1 : 1),
  );
  const rest = mergeTallies([...others, ...ranked.slice(most).map(({ tally }) => tally)]);
  const named = ranked.slice(0, most);
  return weightOf(rest) === 0 && rest.micro === 0n
    ? named
    : [...named, { subject: otherSubject, tally: rest }];
}

function weightOf(tally: Tally): number {
  return endsOf(tally) + tally.returned + tally.lost;
}
