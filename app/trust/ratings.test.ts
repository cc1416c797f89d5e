import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { disputeStates, ratings } from "../jobs/rating.ts";
import { countRatings, mostOfRater, type RatedAnswer } from "./ratings.ts";
import { replayShare } from "./replay-chance.ts";
import {
  lowerBoundOf,
  meanOf,
  newStanding,
  reasonsOf,
  type StandingEvent,
  withEvent,
  withRatings,
} from "./standing.ts";

const bad = (rater: string): RatedAnswer => ({ rater, rating: "bad", dispute: null });
const good = (rater: string): RatedAnswer => ({ rater, rating: "good", dispute: null });
const many = (count: number, one: RatedAnswer): RatedAnswer[] => Array<RatedAnswer>(count).fill(one);

/** A device with a good record. */
const steady = Array<StandingEvent>(20)
  .fill("fits")
  .reduce((standing, event) => withEvent(standing, event, 0), newStanding(0));

const choice = { answerTokens: 100, costShare: 0.6, worth: 1, spentShare: 0 };

describe("the ratings of requesters", () => {
  it("count at most three times for one rater", () => {
    expect(countRatings(many(500, bad("a")))).toEqual({ praised: 0, criticized: 3, upheld: 0 });
    expect(countRatings([good("a"), bad("b"), bad("b")])).toEqual({ praised: 1, criticized: 2, upheld: 0 });
  });

  it("count in their order, so the newest of a rater count", () => {
    const changedMind = [...many(3, good("a")), ...many(9, bad("a"))];
    expect(countRatings(changedMind)).toEqual({ praised: 3, criticized: 0, upheld: 0 });
  });

  it("count more if an administrator agreed, and not at all if one did not", () => {
    const disputed = { rater: "a", rating: "bad" } as const;
    const counts = countRatings([
      { ...disputed, dispute: "settled" },
      { ...disputed, dispute: "rejected" },
      { ...disputed, dispute: "open" },
    ]);
    expect(counts).toEqual({ praised: 0, criticized: 1, upheld: 1 });
  });

  it("leave the order and the bound of each rater as they are, for any ratings", () => {
    const answers = fc.array(
      fc.record({
        rater: fc.constantFrom("a", "b", "c"),
        rating: fc.constantFrom(...ratings),
        dispute: fc.constantFrom(null, ...disputeStates),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(answers, (rated) => {
        const { praised, criticized, upheld } = countRatings(rated);
        const raters = new Set(rated.map(({ rater }) => rater)).size;
        expect(praised + criticized + upheld).toBeLessThanOrEqual(raters * mostOfRater);
        expect(upheld).toBeLessThanOrEqual(rated.filter(({ dispute }) => dispute === "settled").length);
      }),
    );
  });
});

describe("a standing with ratings", () => {
  it("hardly falls by one requester, however often that one complains", () => {
    const rated = withRatings(steady, countRatings(many(10_000, bad("a"))));
    expect(meanOf(rated)).toBeLessThan(meanOf(steady));
    expect(meanOf(steady) - meanOf(rated)).toBeLessThan(0.02);
    expect(lowerBoundOf(rated)).toBeGreaterThan(0.8);
    expect(replayShare({ ...choice, standing: rated })).toBeLessThan(
      1.1 * replayShare({ ...choice, standing: steady }),
    );
  });

  it("falls the more, the more requesters complain, and then more answers are replayed", () => {
    const shares = [0, 1, 10, 100].map((raters) => {
      const complaints = Array.from({ length: raters }, (_, rater) => many(3, bad(String(rater)))).flat();
      return replayShare({ ...choice, standing: withRatings(steady, countRatings(complaints)) });
    });
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(new Set(shares).size).toBe(shares.length);
    expect(shares.at(-1)).toBe(1);
  });

  it("does not end a probation by praise", () => {
    const praise = Array.from({ length: 1_000 }, (_, rater) => good(String(rater)));
    const rated = withRatings(newStanding(0), countRatings(praise));
    expect(rated.passed).toBe(0);
    expect(replayShare({ ...choice, standing: rated })).toBe(1);
  });

  it("tells the ratings among its reasons", () => {
    const counts = countRatings([good("a"), bad("b"), bad("c")]);
    const reasons = reasonsOf(withRatings(steady, counts));
    expect(reasons).toContain("2 ratings of requesters were bad.");
    expect(reasons).toContain("1 rating of a requester was good.");
    expect(reasonsOf(withRatings(steady, countRatings([])))).toEqual(reasonsOf(steady));
  });
});
