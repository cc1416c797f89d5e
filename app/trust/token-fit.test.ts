import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Candidate, type Choice, tokenFit, tokensNear, type Unlisted } from "./token-fit.ts";

const plain: Choice = { temperature: 1, topP: 1 };
const greedy: Choice = { temperature: 0, topP: 1 };

/** Candidates with the tokens 0, 1, 2 and so on, the likeliest first. */
function candidatesOf(weights: readonly number[]): readonly Candidate[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.toSorted((a, b) => b - a).map((weight, token) => ({ token, probability: weight / total }));
}

/** The other tokens of a vocabulary of this size. */
function othersOf(candidates: readonly Candidate[], vocabularySize: number): Unlisted {
  return { count: vocabularySize - candidates.length, most: candidates.at(-1)?.probability ?? 0 };
}

/** The token that llama.cpp takes, if there are no others than these candidates. */
function tokenAt(candidates: readonly Candidate[], choice: Choice, draw: number): number {
  const { temperature, topP, topK = 0, minP = 0 } = choice;
  const first = candidates.slice(0, topK > 0 ? topK : candidates.length);
  const whole = first.reduce((sum, { probability }) => sum + probability, 0);
  const best = first[0]?.probability ?? 1;
  let sum = 0;
  const kept = first.filter(({ probability }, at) => {
    const isReached = sum >= topP * whole;
    sum += probability;
    return at === 0 || (!isReached && probability >= minP * best);
  });
  const masses = kept.map(({ probability }) => (probability / best) ** (1 / temperature));
  const target = draw * masses.reduce((total, mass) => total + mass, 0);
  let run = 0;
  const at = masses.findIndex((mass) => (run += mass) >= target);
  return (kept[at] ?? kept.at(-1))?.token ?? -1;
}

const weights = fc.array(fc.double({ min: 1e-6, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 });
const choice: fc.Arbitrary<Choice> = fc.record(
  {
    temperature: fc.double({ min: 0.1, max: 2, noNaN: true }),
    topP: fc.double({ min: 0.05, max: 1, noNaN: true }),
    topK: fc.integer({ min: 0, max: 50 }),
    minP: fc.double({ min: 0, max: 0.5, noNaN: true }),
  },
  { requiredKeys: ["temperature", "topP"] },
);
const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Another computer's probabilities for the same tokens: their logarithms differ by up to a hundredth. */
const noisy = fc
  .tuple(
    weights,
    fc.array(fc.double({ min: -0.005, max: 0.005, noNaN: true }), { minLength: 40, maxLength: 40 }),
  )
  .map(([each, noise]) => {
    const one = candidatesOf(each);
    const other = one.map(({ token, probability }, at) => ({
      token,
      probability: probability * Math.exp(noise[at] ?? 0),
    }));
    return [one, other.toSorted((a, b) => b.probability - a.probability)] as const;
  });

describe("tokenFit", () => {
  it("regrets no token that the same probabilities and the same number give", () => {
    fc.assert(
      fc.property(weights, choice, draw, (each, chosen, drawn) => {
        const candidates = candidatesOf(each);
        const token = tokenAt(candidates, chosen, drawn);
        expect(
          tokenFit(candidates, token, chosen, drawn, othersOf(candidates, each.length)).regret,
        ).toBeLessThan(1e-9);
      }),
    );
  });

  it("regrets little where another computer's probabilities differ a little", () => {
    fc.assert(
      fc.property(noisy, draw, ([one, other], drawn) => {
        const token = tokenAt(one, plain, drawn);
        expect(tokenFit(other, token, plain, drawn, othersOf(other, other.length)).regret).toBeLessThan(
          0.012,
        );
      }),
    );
  });

  it("regrets little where a cut of the likeliest tokens falls close to a token", () => {
    fc.assert(
      fc.property(noisy, choice, draw, ([one, other], chosen, drawn) => {
        const even = { ...chosen, temperature: 1 };
        const token = tokenAt(one, even, drawn);
        expect(tokenFit(other, token, even, drawn, othersOf(other, other.length)).regret).toBeLessThan(0.05);
      }),
    );
  });

  it("is between 0 and 1, whatever the token", () => {
    fc.assert(
      fc.property(
        weights,
        choice,
        fc.option(draw),
        fc.integer({ min: -1, max: 60 }),
        (each, chosen, drawn, token) => {
          const { regret } = tokenFit(
            candidatesOf(each),
            token,
            chosen,
            drawn,
            othersOf(candidatesOf(each), 1_000),
          );
          expect(regret).toBeGreaterThanOrEqual(0);
          expect(regret).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it("regrets a token by how far the number is from its place", () => {
    const candidates = candidatesOf([0.5, 0.3, 0.2]);
    expect(tokenFit(candidates, 0, plain, 0.4, othersOf(candidates, 3)).regret).toBe(0);
    expect(tokenFit(candidates, 1, plain, 0.4, othersOf(candidates, 3)).regret).toBeCloseTo(0.1);
    expect(tokenFit(candidates, 2, plain, 0.4, othersOf(candidates, 3)).regret).toBeCloseTo(0.4);
    expect(tokenFit(candidates, 2, plain, null, othersOf(candidates, 3))).toEqual({
      regret: 0,
      logprob: Math.log(0.2),
    });
  });

  it("knows that unlikely tokens beyond the candidates take a part, too", () => {
    const candidates = candidatesOf([0.6, 0.4]);
    expect(tokenFit(candidates, 1, plain, 0.5, othersOf(candidates, 2)).regret).toBeCloseTo(0.1);
    expect(tokenFit(candidates, 1, plain, 0.5, othersOf(candidates, 3)).regret).toBe(0);
  });

  it("calls impossible what is no candidate, or what the request leaves out", () => {
    const candidates = candidatesOf([0.6, 0.3, 0.1]);
    expect(tokenFit(candidates, 7, plain, 0.5, othersOf(candidates, 3))).toEqual({
      regret: 1,
      logprob: null,
    });
    for (const bounded of [{ topK: 2 }, { topP: 0.8 }, { minP: 0.3 }]) {
      expect(tokenFit(candidates, 2, { ...plain, ...bounded }, 0.99, othersOf(candidates, 3)).regret).toBe(1);
      expect(tokenFit(candidates, 1, { ...plain, ...bounded }, 0.99, othersOf(candidates, 3)).regret).toBe(0);
    }
  });

  it("takes either of two equally likely tokens at temperature 0, and regrets others by their probability", () => {
    const candidates = candidatesOf([0.4, 0.399, 0.201]);
    expect(tokenFit(candidates, 0, greedy, null, othersOf(candidates, 3)).regret).toBe(0);
    expect(tokenFit(candidates, 1, greedy, null, othersOf(candidates, 3)).regret).toBe(0);
    expect(tokenFit(candidates, 2, greedy, null, othersOf(candidates, 3)).regret).toBeCloseTo(0.199);
  });
});

describe("tokensNear", () => {
  it("finds the tokens that the number may choose, with their regrets", () => {
    fc.assert(
      fc.property(weights, choice, draw, (each, chosen, drawn) => {
        const candidates = candidatesOf(each);
        const unlisted = othersOf(candidates, each.length);
        const near = tokensNear(candidates, chosen, drawn, unlisted, 0.05);
        const fits = candidates.map(({ token }) => ({
          token,
          regret: tokenFit(candidates, token, chosen, drawn, unlisted).regret,
        }));
        const expected = fits.filter(({ regret }) => regret <= 0.05);
        expect(near.tokens.map(({ token }) => token)).toEqual(expected.map(({ token }) => token));
        for (const [at, { regret }] of near.tokens.entries())
          expect(regret).toBeCloseTo(expected[at]?.regret ?? -1, 9);
        expect(near.unlisted).toBeNull();
      }),
    );
  });

  it("knows that the number may choose none of the candidates", () => {
    const candidates = candidatesOf([0.6, 0.4]);
    expect(tokensNear(candidates, plain, 0.9, othersOf(candidates, 4), 0.05).unlisted).toBe(0);
    expect(tokensNear(candidates, plain, 0.1, othersOf(candidates, 4), 0.05).unlisted).toBeNull();
  });
});
