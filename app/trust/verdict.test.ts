import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  defaultLimits,
  type HonestReplays,
  leastLearned,
  limitsOf,
  noReplays,
  replayClass,
  withReplay,
} from "./honest-replays.ts";
import type { Replay } from "./replay.ts";
import { seriesVerdictOf, verdictOf } from "./verdict.ts";

const replay = (changed: Partial<Replay>): Replay => ({
  tokens: 50,
  regret: 0,
  misses: 0,
  impossible: 0,
  logprob: -20,
  ...changed,
});

function learned(regrets: readonly number[]): HonestReplays {
  return regrets.reduce(
    (honest, regret) => withReplay(honest, replay({ tokens: 100, regret: 100 * regret })),
    noReplays,
  );
}

describe("a verdict", () => {
  it("accuses an answer whose tokens the model would not write", () => {
    expect(verdictOf(replay({}), defaultLimits)).toBe("fits");
    expect(verdictOf(replay({ regret: 30, misses: 40, impossible: 20 }), defaultLimits)).toBe("mismatch");
  });

  it("accuses nobody because of one token, however short the answer is", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (tokens, regret) => {
          const one = replay({ tokens, regret, misses: 1 });
          expect(verdictOf(one, { meanRegret: 0.0001, missShare: 0, usualMissShare: 0 })).not.toBe(
            "mismatch",
          );
        },
      ),
    );
  });

  it("gets no milder with more regret", () => {
    const order = ["fits", "unclear", "mismatch"];
    const misses = fc.integer({ min: 0, max: 50 });
    fc.assert(
      fc.property(misses, fc.double({ min: 0, max: 50, noNaN: true }), misses, (least, regret, more) => {
        const mild = verdictOf(replay({ regret, misses: least }), defaultLimits);
        const harsh = verdictOf(replay({ regret: regret + 1, misses: least + more }), defaultLimits);
        expect(order.indexOf(harsh)).toBeGreaterThanOrEqual(order.indexOf(mild));
      }),
    );
  });

  it("of a series is a mismatch where a single answer is only a little odd", () => {
    const odd = replay({ regret: 2, misses: 1 });
    expect(verdictOf(odd, defaultLimits)).toBe("fits");
    expect(seriesVerdictOf(odd, defaultLimits)).toBe("mismatch");
    expect(seriesVerdictOf(replay({ regret: 0.1 }), defaultLimits)).toBe("fits");
  });
});

describe("the limits of a class", () => {
  it("are the default ones until enough is learned", () => {
    expect(limitsOf(noReplays)).toEqual(defaultLimits);
    expect(limitsOf(learned(Array(leastLearned - 1).fill(0)))).toEqual(defaultLimits);
    expect(limitsOf(learned(Array(leastLearned).fill(0))).meanRegret).toBeLessThan(defaultLimits.meanRegret);
  });

  it("learn nothing from answers of a few tokens", () => {
    expect(withReplay(noReplays, replay({ tokens: 3 }))).toEqual(noReplays);
  });

  it("do not rise because a fifth of the answers is wrong", () => {
    const honest = fc.double({ min: 0, max: 0.004, noNaN: true });
    fc.assert(
      fc.property(fc.array(honest, { minLength: 200, maxLength: 200 }), (regrets) => {
        const poisoned = regrets.map((regret, at) => (at % 5 === 0 ? 0.9 : regret));
        expect(limitsOf(learned(poisoned)).meanRegret).toBeLessThanOrEqual(0.036);
        for (const regret of regrets.slice(0, 20)) {
          const fitting = replay({ tokens: 100, regret: 100 * regret });
          expect(verdictOf(fitting, limitsOf(learned(poisoned)))).toBe("fits");
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each([0.005, 0.02, 0.03, 0.05])("hardly accuse a class with a usual share of misses of %f", (share) => {
    let state = 1;
    const random = (): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const answer = (tokens: number): Replay => {
      const misses = Array.from({ length: tokens }, random).filter((each) => each < share).length;
      return replay({ tokens, misses, regret: misses * 0.07 });
    };
    const lengths = [20, 50, 150, 400];
    const honest = Array.from({ length: 200 }, (_, at) => answer(lengths[at % lengths.length] ?? 50));
    const limits = limitsOf(honest.reduce(withReplay, noReplays));
    const drawn = Array.from({ length: 8_000 }, (_, at) => answer(lengths[at % lengths.length] ?? 50));
    const accused = drawn.filter((each) => verdictOf(each, limits) === "mismatch").length;
    expect(accused / drawn.length).toBeLessThanOrEqual(0.001);
    // Another model misses far more.
    expect(verdictOf(replay({ tokens: 50, misses: 20, regret: 10 }), limits)).toBe("mismatch");
  });

  it("are those of a file and two kinds of computers, in any order", () => {
    expect(replayClass("f", "linux-x64/cpu", "linux-x64/cuda")).toBe(
      replayClass("f", "linux-x64/cuda", "linux-x64/cpu"),
    );
    expect(replayClass("f", "a", "b")).not.toBe(replayClass("g", "a", "b"));
  });
});
