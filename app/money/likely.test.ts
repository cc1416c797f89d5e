import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addShare,
  boundClassOf,
  cushion,
  heldTokens,
  likelyClass,
  nextClass,
  noShares,
  type ShareCounts,
  shareOf,
  wholeBound,
} from "./likely.ts";

const limit = 4_096;

function learned(answers: readonly number[]): ShareCounts {
  return answers.reduce<ShareCounts>((counts, used) => addShare(counts, used, limit), noShares);
}

/** Numbers from 0 to 1 that depend on the seed only. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe("the likely share of a bound", () => {
  it("is the whole bound until enough jobs were seen", () => {
    expect(likelyClass(learned(Array.from({ length: 59 }, () => 10)))).toBe(0);
    expect(likelyClass(learned(Array.from({ length: 60 }, () => 10)))).toBe(12);
    expect(shareOf(12)).toBe(1 / 8);
  });

  it("covers all but a fiftieth of the answers, and more than their mean", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: limit }), { minLength: 60, maxLength: 500 }),
        (answers) => {
          const held = limit * shareOf(likelyClass(learned(answers)));
          expect(answers.filter((used) => used > held).length).toBeLessThanOrEqual(answers.length / 50);
          const mean = answers.reduce((sum, used) => sum + used, 0) / answers.length;
          expect(held).toBeGreaterThanOrEqual(Math.min(limit, 1.25 * mean) - 1e-6);
        },
      ),
    );
  });

  it("follows longer answers after a few of them, and forgets them after hundreds of short ones", () => {
    let counts = learned(Array.from({ length: 1_000 }, () => 100));
    expect(likelyClass(counts)).toBe(12);
    for (let i = 0; i < 12; i += 1) counts = addShare(counts, limit, limit);
    expect(likelyClass(counts)).toBe(0);
    for (let i = 0; i < 1_500; i += 1) counts = addShare(counts, 100, limit);
    expect(likelyClass(counts)).toBeGreaterThan(8);
  });

  it("rises at once, and falls only for a clear change", () => {
    expect(nextClass(6, 3)).toBe(3);
    expect(nextClass(6, 7)).toBe(6);
    expect(nextClass(6, 8)).toBe(8);
  });

  it("is told apart by the size of the bound", () => {
    expect([0, 1, 2, 64, 65, 4_096].map(boundClassOf)).toEqual([0, 0, 1, 6, 7, 12]);
  });
});

describe("the tokens of a reservation", () => {
  const most = { promptTokens: 800, completionTokens: limit };

  it("are the bound while nothing is known", () => {
    expect(heldTokens(most, wholeBound, 100)).toEqual(most);
  });

  it("are a part of it, and never less than the estimate of the prompt", () => {
    expect(heldTokens(most, { prompt: 12, answer: 4 }, 300)).toEqual({
      promptTokens: 300,
      completionTokens: 2_048,
    });
    expect(heldTokens(most, { prompt: 12, answer: 12 }, 9_000).promptTokens).toBe(800);
  });
});

/** Kinds of answers: their lengths in tokens, from a dice. */
const kinds = {
  "all short": () => 40,
  evenly: (dice: () => number) => limit * dice(),
  "short, and rarely to the limit": (dice: () => number) => (dice() < 0.015 ? limit : 50),
  "short, and sometimes to the limit": (dice: () => number) => (dice() < 0.1 ? limit : 50),
  "with a heavy tail": (dice: () => number) => Math.min(limit, 60 / (1 - dice()) ** 0.9),
  "around a third": (dice: () => number) => limit * (0.2 + 0.25 * dice()),
} as const;

/**
 * A key sends jobs as long as it may, and then all of them end. So its credits are always
 * exhausted, which is the worst time for long answers.
 * @returns the part of all pay that the key could not give, and the jobs at a time beside those that highest prices would allow.
 */
function exhaust(next: (dice: () => number) => number, seed: number, room: number) {
  const roll = dice(seed);
  let counts = noShares;
  let [paid, covered, open, rounds] = [0, 0, 0, 0];
  for (let round = 0; round < 120; round += 1) {
    const held = Math.ceil(limit * shareOf(likelyClass(counts)));
    const likely = Math.max(0, Math.floor((room * limit - Number(cushion) * limit) / held) + 1);
    const jobs = likely + Math.floor((room * limit - likely * held) / limit);
    const answers = Array.from({ length: jobs }, () => Math.floor(next(roll)));
    const price = answers.reduce((sum, used) => sum + used, 0);
    for (const used of answers) counts = addShare(counts, used, limit);
    // Until enough is known, reservations are the highest prices.
    if (held === limit) continue;
    paid += price;
    covered += Math.max(0, price - room * limit);
    open += jobs;
    rounds += 1;
  }
  return { covered: paid === 0 ? 0 : covered / paid, gain: rounds === 0 ? 1 : open / rounds / room };
}

describe("the risk of a key whose credits are always exhausted", () => {
  it.each(Object.entries(kinds))("is below a thousandth of its pay if answers are %s", (_, next) => {
    for (const room of [1, 3, 4, 5, 6, 8, 20, 150]) {
      for (const seed of [1, 2, 3]) expect(exhaust(next, seed, room).covered).toBeLessThan(0.001);
    }
  });

  it("is paid back by jobs that wait at the same time", () => {
    expect(exhaust(kinds["all short"], 1, 50).gain).toBeGreaterThan(7);
    expect(exhaust(kinds["around a third"], 1, 50).gain).toBeGreaterThan(1.7);
    expect(exhaust(kinds["with a heavy tail"], 1, 50).gain).toBeGreaterThan(1.7);
  });

  it("is at most seven times its credits, even if all answers suddenly are as long as they may be", () => {
    const counts = learned(Array.from({ length: 500 }, () => 20));
    const held = heldTokens(
      { promptTokens: 0, completionTokens: limit },
      { prompt: 12, answer: likelyClass(counts) },
      0,
    );
    expect(limit - held.completionTokens).toBeLessThanOrEqual(7 * held.completionTokens);
  });
});
