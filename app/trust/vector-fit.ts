import { missRegret, type Replay } from "./replay.ts";

type Vector = readonly number[];

/** One wrong vector leaves no doubt, so it counts as more tokens than are needed to accuse an answer. */
export const tokensOfVector = 10;

/**
 * How the vectors of an answer fit those that the checker computed. A vector's regret is its distance by the cosine: 0 for the same
 * direction, 1 for none in common. Honest computers differ by less than a thousandth.
 * @param given the answer's. `own`: the checker's, of the same inputs.
 */
export function vectorFit(given: readonly Vector[], own: readonly Vector[]): Replay {
  const regrets = own.map((vector, at) => regretOf(given[at] ?? [], vector));
  const count = (isSo: (regret: number) => boolean): number => tokensOfVector * regrets.filter(isSo).length;
  return {
    tokens: tokensOfVector * regrets.length,
    regret: tokensOfVector * regrets.reduce((sum, regret) => sum + regret, 0),
    misses: count((regret) => regret > missRegret),
    impossible: count((regret) => regret >= 1),
    logprob: 0,
  };
}

function regretOf(one: Vector, other: Vector): number {
  if (one.length !== other.length) return 1;
  let [product, oneSquare, otherSquare] = [0, 0, 0];
  one.forEach((number, at) => {
    const paired = other[at] ?? 0;
    product += number * paired;
    oneSquare += number * number;
    otherSquare += paired * paired;
  });
  const cosine = product / Math.sqrt(oneSquare * otherSquare);
  // A vector of zeros has no direction.
  return Number.isFinite(cosine) ? Math.min(1, Math.max(0, 1 - cosine)) : 1;
}
