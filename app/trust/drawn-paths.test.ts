import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Drawn, DrawnPaths, type Place } from "./drawn-paths.ts";
import type { Choice } from "./token-fit.ts";

const plain: Choice = { temperature: 1, topP: 1 };

/** A place whose tokens 0, 1, 2 and so on have these probabilities, of which the grammar allows some. */
function place(weights: readonly number[], allowed: readonly number[], isForced = false): Place {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const candidates = weights
    .map((weight, token) => ({ token, probability: weight / total }))
    .toSorted((one, other) => other.probability - one.probability);
  return {
    candidates,
    unlisted: { count: 0, most: 0 },
    allows: (token) => allowed.includes(token),
    isForced,
  };
}

function drawn(numbers: readonly number[], changed: Partial<Drawn> = {}): Drawn {
  return { choice: plain, numberAt: (at) => numbers[at] ?? 0.5, isGrammarFirst: false, ...changed };
}

/** The token that llama.cpp takes by a number. */
function tokenAt({ candidates }: Place, number: number, isAllowed: (token: number) => boolean): number {
  const left = candidates.filter(({ token }) => isAllowed(token));
  const target = number * left.reduce((sum, { probability }) => sum + probability, 0);
  let run = 0;
  return (left.find(({ probability }) => (run += probability) >= target) ?? left.at(-1))?.token ?? -1;
}

/** The tokens that llama.cpp writes, which asks the grammar about the token that it chose. */
function written(places: readonly Place[], numbers: readonly number[]): readonly number[] {
  let at = 0;
  return places.map((each) => {
    const free = tokenAt(each, numbers[at] ?? 0.5, () => true);
    at += 1;
    if (each.allows?.(free) !== false) return free;
    const token = tokenAt(each, numbers[at] ?? 0.5, each.allows);
    at += 1;
    return token;
  });
}

function regretsOf(places: readonly Place[], tokens: readonly number[], how: Drawn): readonly number[] {
  const start = new DrawnPaths(how);
  const whole = places.reduce((paths, each, at) => paths.with(tokens[at] ?? -1, each), start);
  return whole.fits().map(({ regret }) => regret);
}

const probability = fc.double({ min: 0.02, max: 1, noNaN: true });
const anyPlace = fc
  .array(fc.tuple(probability, fc.boolean()), { minLength: 2, maxLength: 12 })
  .map((tokens) => {
    const allowed = tokens.flatMap(([, isAllowed], token) => (isAllowed || token === 0 ? [token] : []));
    return place(
      tokens.map(([weight]) => weight),
      allowed,
    );
  });
const number = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("the paths of drawn numbers", () => {
  it("fit what a device writes, whether the grammar refuses its first choice or not", () => {
    fc.assert(
      fc.property(
        fc.array(anyPlace, { minLength: 1, maxLength: 20 }),
        fc.array(number, { minLength: 40, maxLength: 40 }),
        (places, numbers) => {
          const regrets = regretsOf(places, written(places, numbers), drawn(numbers));
          expect(Math.max(0, ...regrets)).toBeLessThan(1e-9);
        },
      ),
    );
  });

  it("regret tokens of other numbers", () => {
    const places = Array.from({ length: 30 }, () => place([1, 1, 1, 1, 1, 1, 1, 1], [0, 1, 2, 3, 4, 5]));
    const numbers = Array.from({ length: 60 }, (_, at) => (at * 0.618) % 1);
    const others = numbers.map((each) => (each * 7.3 + 0.31) % 1);
    const misses = regretsOf(places, written(places, others), drawn(numbers)).filter((each) => each > 0.05);
    // All tokens are equally likely, so none of them can be told from another.
    expect(misses.length).toBe(0);
    const uneven = Array.from({ length: 30 }, () => place([8, 5, 3, 2, 1, 0.6], [1, 2, 3, 5]));
    const odd = regretsOf(uneven, written(uneven, others), drawn(numbers)).filter((each) => each > 0.05);
    expect(odd.length).toBeGreaterThan(8);
  });

  it("keep the fits of tokens that do not count apart", () => {
    // The grammar leaves no choice of the text at the first place, and allows only unlikely tokens at the second one.
    const places = [
      place([0.1, 0.6, 0.3], [0, 1, 2], true),
      place([0.996, 0.003, 0.001], [1, 2]),
      place([0.5, 0.3, 0.2], [0, 1, 2]),
    ];
    const start = new DrawnPaths(drawn([0.1, 0.5, 0.1, 0.9]));
    const whole = places.reduce((paths, each, at) => paths.with([2, 1, 2][at] ?? -1, each), start);
    expect(whole.uncounted().map(({ regret }) => regret > 0.4)).toEqual([true, false]);
    expect(whole.fits().map(({ regret }) => regret)).toEqual([0]);
  });

  it("follow both ways if a number is close to the border of an allowed and a refused token", () => {
    // The device's numbers differ a little: it chose the refused token 0 first, and then the token 2.
    const first = place([0.5, 0.3, 0.2], [1, 2]);
    const next = place([0.1, 0.6, 0.3], [0, 1, 2]);
    const numbers = [0.501, 0.9, 0.05, 0.5];
    const [one = 1, other = 1] = regretsOf([first, next], [2, 1], drawn(numbers));
    expect(one).toBeCloseTo(0.001);
    expect(other).toBe(0);
  });

  it("take one number for each token if the grammar is asked first", () => {
    const one = place([0.9, 0.06, 0.04], [1, 2]);
    const how = drawn([0.9, 0.1], { isGrammarFirst: true });
    expect(regretsOf([one, one], [2, 1], how)).toEqual([0, 0]);
    expect(regretsOf([one, one], [1, 2], how).every((each) => each > 0.2)).toBe(true);
  });

  it("take the best token that the grammar allows at temperature 0", () => {
    const one = place([0.7, 0.2, 0.1], [1, 2]);
    const how = drawn([], { choice: { ...plain, temperature: 0 } });
    expect(regretsOf([one], [1], how)).toEqual([0]);
    expect(regretsOf([one], [2], how)[0]).toBeCloseTo(1 / 3);
  });

  it("count no token that the grammar forces, nor one where it allows hardly anything that the model writes", () => {
    expect(regretsOf([place([0.6, 0.4], [1], true)], [1], drawn([0.5, 0.5]))).toEqual([]);
    expect(regretsOf([place([1, 0.005, 0.004], [1, 2])], [2], drawn([0.5, 0.1]))).toEqual([]);
  });

  it("are vague as long as the grammar allows none of the known tokens", () => {
    const none: Place = { ...place([0.6, 0.4], []), unlisted: { count: 100, most: 0.001 } };
    const start = new DrawnPaths(drawn([0.5]));
    expect(start.with(7, none).isVague).toBe(true);
    expect(start.with(7, none).fits()).toEqual([]);
    expect(start.with(0, place([0.6, 0.4], [0, 1])).isVague).toBe(false);
  });
});
