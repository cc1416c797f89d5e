import fc from "fast-check";
import { expect, it } from "vitest";
import { costShareOf, replayBudget, replayChance, replayShare } from "./replay-chance.ts";
import { newStanding, type Standing, withEvent } from "./standing.ts";

function passed(count: number): Standing {
  let standing = newStanding(0);
  for (let replay = 0; replay < count; replay += 1) standing = withEvent(standing, "fits", 0);
  return standing;
}

const usual = { standing: passed(100), answerTokens: 100, costShare: 0.3, worth: 1, spentShare: 0 };

it("replays each answer of a new device, and of one that was found to be wrong", () => {
  expect(replayShare({ ...usual, standing: newStanding(0) })).toBe(1);
  expect(replayShare({ ...usual, standing: passed(4) })).toBe(1);
  expect(replayShare({ ...usual, standing: withEvent(passed(100), "wrong", 0) })).toBe(1);
  expect(replayChance(1, 0)).toBe(1);
});

it("replays a device ever less often while its record grows, and never not at all", () => {
  const shares = Array.from({ length: 60 }, (_, count) => replayShare({ ...usual, standing: passed(count) }));
  for (const [count, share] of shares.entries()) {
    expect(share).toBeLessThanOrEqual(shares[count - 1] ?? 1);
    expect(share).toBeGreaterThan(0.05);
  }
});

it("costs no more than its budget of devices with a good record, whatever a replay costs", () => {
  const costs = fc.double({ min: 0.001, max: 2, noNaN: true });
  fc.assert(
    fc.property(costs, (costShare) => {
      expect(replayShare({ ...usual, costShare }) * costShare).toBeLessThanOrEqual(replayBudget * 1.03);
    }),
  );
});

it("replays more often what is worth more, and an odd device; less often what is over the budget", () => {
  const share = replayShare(usual);
  expect(replayShare({ ...usual, worth: 50 })).toBeCloseTo(2 * share);
  expect(replayShare({ ...usual, worth: 0 })).toBeCloseTo(share / 2);
  expect(replayShare({ ...usual, spentShare: 2 * replayBudget })).toBeCloseTo(share / 2);
  expect(replayShare({ ...usual, answerTokens: 10 })).toBeCloseTo(share / 4);
  const odd = withEvent(usual.standing, "unclear", 0, 2.5);
  expect(replayShare({ ...usual, standing: odd })).toBeGreaterThan(2.5 * share);
});

it("replays each device in time, and the given share of its jobs in the mean", () => {
  const draws = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
  const share = fc.double({ min: 0.02, max: 1, noNaN: true });
  fc.assert(
    fc.property(share, draws, (each, drawn) => {
      let owed = 0;
      for (const draw of drawn) {
        if (draw < replayChance(each, owed)) break;
        owed += each;
        expect(owed).toBeLessThan(1.5 + each);
      }
    }),
  );
  // The jobs until a replay: the sum of the chances that none of the earlier ones was replayed.
  let [left, jobs, owed] = [1, 0, 0];
  while (left > 0) {
    jobs += left;
    left *= 1 - replayChance(0.05, owed);
    owed += 0.05;
  }
  expect(jobs).toBeGreaterThan(18);
  expect(jobs).toBeLessThan(21);
});

it("knows that a replay costs the prompt again, and the answer in one pass", () => {
  const speed = { prefill: 100, generate: 10 };
  expect(costShareOf({ prompt: 0, answer: 50 }, speed)).toBeCloseTo(0.1);
  expect(costShareOf({ prompt: 1_000, answer: 0 }, speed)).toBe(1);
  expect(costShareOf({ prompt: 0, answer: 0 }, speed)).toBe(1);
});
