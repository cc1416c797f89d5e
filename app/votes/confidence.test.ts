import { describe, expect, it } from "vitest";
import { normalNumber, randomNumbers } from "../forecast/random.ts";
import { confidenceOf, type VoteTally, withVote } from "./confidence.ts";

const next = randomNumbers(7);

/** A number of the gamma distribution (Marsaglia and Tsang). */
function gammaNumber(shape: number): number {
  if (shape < 1) return gammaNumber(shape + 1) * next() ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const x = normalNumber(next);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - next()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

function betaNumber(a: number, b: number): number {
  const [one, other] = [gammaNumber(a), gammaNumber(b)];
  return one / (one + other);
}

/** Draws a request, and gives a function that answers it. Equal numbers are answers that agree. */
type World = () => () => number;

let distinct = 0;
const another = (): number => (distinct += 1) + 100;

/** The models of these tests answer in ways that the estimate does not assume, except for the first. */
const worlds: Readonly<Record<string, World>> = {
  "yes or no, with any chance": () => {
    const yes = next();
    return () => (next() < yes ? 1 : 0);
  },
  "yes or no, and always unsure": () => () => (next() < 0.6 ? 1 : 0),
  "one usual answer, and otherwise always another one": () => {
    const usual = betaNumber(4, 1);
    return () => (next() < usual ? 0 : another());
  },
  "easy and hard requests": () => {
    const usual = next() < 0.7 ? 0.97 : 0.3;
    return () => (next() < usual ? 0 : another());
  },
  "a usual answer, and a usual mistake": () => {
    const usual = betaNumber(5, 2);
    return () => (next() < usual ? 0 : next() < 0.7 ? 1 : another());
  },
  "four categories": () => {
    const weights = [3, 1, 0.5, 0.2].map(gammaNumber);
    const total = weights.reduce((sum, each) => sum + each, 0);
    return () => {
      let left = next() * total;
      return weights.findIndex((weight) => (left -= weight) < 0);
    };
  },
  "texts that hardly ever agree": () => () => (next() < 0.1 ? 0 : another()),
};

/** Asks for votes. Then one more answer tells whether the estimate was right. */
function vote(answer: () => number, votes: number) {
  const answers = Array.from({ length: votes }, answer);
  const counts = new Map<number, number>();
  for (const each of answers) counts.set(each, (counts.get(each) ?? 0) + 1);
  const sorted = [...counts].toSorted((a, b) => b[1] - a[1]);
  return { groups: sorted.map(([, size]) => size), isConfirmed: answer() === sorted[0]![0] };
}

/** The confidences of many votes, and how many of them one more answer confirmed. */
function measure(world: World, votes: number, tally: VoteTally, count: number) {
  const known = new Map<string, number>();
  const bins = new Map<string, { count: number; predicted: number; confirmed: number }>();
  for (let at = 0; at < count; at++) {
    const { groups, isConfirmed } = vote(world(), votes);
    const name = groups.join("-");
    const predicted = known.get(name) ?? confidenceOf(groups, tally);
    known.set(name, predicted);
    const bin = bins.get(name) ?? { count: 0, predicted: 0, confirmed: 0 };
    bins.set(name, {
      count: bin.count + 1,
      predicted: bin.predicted + predicted,
      confirmed: bin.confirmed + Number(isConfirmed),
    });
  }
  const all = [...bins.values()];
  const sum = (of: (bin: (typeof all)[number]) => number): number =>
    all.reduce((total, bin) => total + of(bin), 0) / count;
  return {
    predicted: sum((bin) => bin.predicted),
    confirmed: sum((bin) => bin.confirmed),
    /** The mean distance of the two, over the kinds of results. */
    error: sum((bin) => Math.abs(bin.predicted - bin.confirmed)),
  };
}

function historyOf(world: World, votes: number, count: number): VoteTally {
  let tally: VoteTally = {};
  for (let at = 0; at < count; at++) tally = withVote(tally, vote(world(), votes).groups);
  return tally;
}

/** Two votes tell only how often two answers agree, which several worlds explain. */
const bounds: Readonly<Record<number, number>> = { 2: 0.3, 3: 0.1, 5: 0.06 };

describe("the confidence after 300 earlier votes", () => {
  const cases = Object.keys(worlds).flatMap((name) =>
    Object.entries(bounds).map(([votes, bound]) => [name, Number(votes), bound] as const),
  );

  it.each(cases)(
    "is how often one more answer agrees: %s, %i votes, error below %d",
    (name, votes, bound) => {
      const world = worlds[name]!;
      const { predicted, confirmed, error } = measure(world, votes, historyOf(world, votes, 300), 5_000);
      expect(Math.abs(predicted - confirmed)).toBeLessThan(0.06);
      expect(error).toBeLessThan(bound);
    },
  );
});

describe("the confidence", () => {
  it("without earlier votes rises with each answer that agrees, and falls with each that does not", () => {
    const of = (...groups: readonly number[]): number => confidenceOf(groups, {});
    const rising = [of(1, 1), of(1), of(2), of(3), of(4), of(5)];
    expect(rising).toEqual(rising.toSorted((a, b) => a - b));
    const falling = [of(4), of(3, 1), of(2, 1, 1), of(1, 1, 1, 1)];
    expect(falling).toEqual(falling.toSorted((a, b) => b - a));
    for (const each of [...rising, ...falling]) {
      expect(each).toBeGreaterThan(0);
      expect(each).toBeLessThan(1);
    }
  });

  it("of the same vote is lower for a model whose votes mostly disagree", () => {
    const [sure, unsure] = [
      confidenceOf([2, 1], { 3: 90, "2-1": 10 }),
      confidenceOf([2, 1], { "2-1": 40, "1-1-1": 60 }),
    ];
    expect(sure).toBeGreaterThan(unsure + 0.1);
  });
});

describe("the tally", () => {
  it("counts votes of two answers or more", () => {
    expect(withVote(withVote({}, [2, 1]), [2, 1])).toEqual({ "2-1": 2 });
    expect(withVote({}, [1])).toEqual({});
  });

  it("halves its counts beyond 2,000 votes", () => {
    expect(withVote({ 3: 1_999, "2-1": 1 }, [3])).toEqual({ 3: 1_000 });
  });
});
