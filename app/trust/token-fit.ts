import type { Sampling } from "../jobs/sampling.ts";

/** A token that the model may write next. */
export type Candidate = {
  readonly token: number;
  /** Among the candidates, before the temperature, with the request's biases and penalties. */
  readonly probability: number;
};

/** The tokens of the vocabulary that are not among the candidates. */
export type Unlisted = {
  readonly count: number;
  /** Each of them has at most this probability. */
  readonly most: number;
};

/** How tokens are chosen from their candidates. */
export type Choice = Pick<Sampling, "temperature" | "topP" | "topK" | "minP">;

/** How well a token fits the checker's model. */
export type TokenFit = {
  /** 0: the model writes this token. 1: it cannot. Between: how much its probabilities would have to differ for it. */
  readonly regret: number;
  /** The natural logarithm of the token's probability; null if it is not among the candidates. */
  readonly logprob: number | null;
};

/** Two computers give logarithms of probabilities that differ by about this much, so the order of such tokens is not known. */
const tieLogs = 0.02;
/** No two computers differ by this much. */
const farLogs = 1;
/** The same for a sum of probabilities, such as the one that `topP` bounds. */
const tieMass = 0.005;

/**
 * Compares a token of an answer with the one that the checker's model writes there by the same seed. llama.cpp sorts the candidates,
 * adds up their probabilities, and takes the token at which the sum reaches the drawn number. So an honest device and the checker
 * take the same one, unless the number is close to a border. Then the regret is the small distance to it.
 * @param candidates the likeliest first; of a large vocabulary only the first few hundred.
 * @param draw the drawn number, from 0 to 1; null if it is not known. Then only tokens that cannot be chosen are regretted.
 */
export function tokenFit(
  candidates: readonly Candidate[],
  token: number,
  choice: Choice,
  draw: number | null,
  unlisted: Unlisted,
): TokenFit {
  const at = candidates.findIndex((candidate) => candidate.token === token);
  const [best] = candidates;
  const given = candidates[at];
  if (best === undefined) return { regret: 1, logprob: null };
  if (given === undefined) {
    if (choice.temperature === 0) {
      const mayBeBest = unlisted.count > 0 && Math.log(best.probability / unlisted.most) <= farLogs;
      return { regret: mayBeBest ? 0 : 1, logprob: null };
    }
    const regret = draw === null ? 1 : distance(draw, placeBeyond(candidates, choice, unlisted));
    return { regret, logprob: null };
  }
  const logprob = Math.log(Math.min(1, Math.max(given.probability, Number.MIN_VALUE)));
  if (choice.temperature === 0) {
    const gap = Math.log(best.probability) - logprob;
    const regret = (best.probability - given.probability) / massOf(candidates);
    return { regret: gap <= tieLogs ? 0 : regret, logprob };
  }
  if (!mayBeChosen(candidates, at, choice, unlisted)) return { regret: 1, logprob };
  if (draw === null) return { regret: 0, logprob };
  return { regret: distance(draw, placeOf(candidates, at, choice, unlisted)), logprob };
}

/** Whether the request lets the token be chosen at all, or might on a computer whose numbers differ a little. */
function mayBeChosen(
  candidates: readonly Candidate[],
  at: number,
  choice: Choice,
  unlisted: Unlisted,
): boolean {
  const { topP, topK = 0, minP = 0 } = choice;
  const least = (candidates[at]?.probability ?? 0) * Math.exp(tieLogs);
  const likelier = candidates.slice(0, at).filter(({ probability }) => probability > least);
  if (topK > 0 && likelier.length >= topK) return false;
  if (least < minP * (candidates[0]?.probability ?? 0)) return false;
  // The token at which the sum reaches `topP` is still kept, and at least one always is.
  const whole = massOf(candidates.slice(0, topK > 0 ? topK : candidates.length));
  const beyond = beyondOf(candidates, choice, unlisted);
  return topP >= 1 || likelier.length === 0 || massOf(likelier) <= (topP + tieMass) * (whole + beyond);
}

/** The part of [0, 1] in which a drawn number has to be for this token. It may be too long, never too short. */
function placeOf(
  candidates: readonly Candidate[],
  at: number,
  choice: Choice,
  unlisted: Unlisted,
): readonly [number, number] {
  const { least, most, beyond } = heatedMasses(candidates, choice, unlisted);
  const own = candidates[at]?.probability ?? 0;
  let before = 0;
  let tied = 0;
  for (const { probability } of candidates) {
    const mass = heated(candidates, probability, choice);
    if (Math.abs(Math.log(probability / own)) <= tieLogs) tied += mass;
    else if (probability > own) before += mass;
  }
  return [before / (most + beyond), (before + tied) / Math.max(least, before + tied)];
}

/**
 * The candidates that a drawn number may choose if probabilities differ by `slack` at most, with their regrets. `unlisted`: the regret
 * of the likeliest other tokens; null if the number can choose none of these.
 */
export function tokensNear(
  candidates: readonly Candidate[],
  choice: Choice,
  draw: number,
  unlisted: Unlisted,
  slack: number,
): {
  readonly tokens: readonly { readonly token: number; readonly regret: number }[];
  readonly unlisted: number | null;
} {
  const { least, most, beyond } = heatedMasses(candidates, choice, unlisted);
  const sums = [0];
  for (const { probability } of candidates)
    sums.push((sums.at(-1) ?? 0) + heated(candidates, probability, choice));
  const apart = (one: number, other: number): number =>
    Math.log((candidates[one]?.probability ?? 0) / (candidates[other]?.probability ?? 0));
  const tokens: { token: number; regret: number }[] = [];
  let [first, end] = [0, 0];
  for (const [at, { token }] of candidates.entries()) {
    while (apart(first, at) > tieLogs) first += 1;
    while (end < candidates.length && apart(at, end) <= tieLogs) end += 1;
    const [before = 0, after = 0] = [sums[first], sums[end]];
    const regret = distance(draw, [before / (most + beyond), after / Math.max(least, after)]);
    if (regret <= slack && mayBeChosen(candidates, at, choice, unlisted)) tokens.push({ token, regret });
  }
  const ofUnlisted = distance(draw, placeBeyond(candidates, choice, unlisted));
  return { tokens, unlisted: ofUnlisted <= slack ? ofUnlisted : null };
}

/** The part of [0, 1] for tokens that are not among the candidates. Empty if the request leaves such tokens out. */
function placeBeyond(
  candidates: readonly Candidate[],
  choice: Choice,
  unlisted: Unlisted,
): readonly [number, number] {
  const { most, beyond } = heatedMasses(candidates, choice, unlisted);
  return beyond === 0 ? [Infinity, Infinity] : [most / (most + beyond), 1];
}

/** The masses of what the request keeps, after the temperature: of the candidates at least and at most, and of others at most. */
function heatedMasses(
  candidates: readonly Candidate[],
  choice: Choice,
  unlisted: Unlisted,
): { readonly least: number; readonly most: number; readonly beyond: number } {
  const kept = keptOf(candidates, choice, unlisted);
  const massTo = (end: number): number =>
    candidates
      .slice(0, end)
      .reduce((sum, { probability }) => sum + heated(candidates, probability, choice), 0);
  const last = heated(candidates, unlisted.most, choice);
  return {
    least: massTo(kept.least),
    most: massTo(kept.most),
    beyond: kept.others ? unlisted.count * last : 0,
  };
}

function heated(candidates: readonly Candidate[], probability: number, { temperature }: Choice): number {
  return (probability / (candidates[0]?.probability ?? 1)) ** (1 / temperature);
}

/** How many candidates the request keeps, at least and at most, since numbers differ a little. `others`: perhaps more than these. */
function keptOf(
  candidates: readonly Candidate[],
  choice: Choice,
  unlisted: Unlisted,
): { readonly least: number; readonly most: number; readonly others: boolean } {
  const { topP, topK = 0, minP = 0 } = choice;
  const first = topK > 0 ? Math.min(topK, candidates.length) : candidates.length;
  const ofFirst = candidates.slice(0, first);
  const whole = massOf(ofFirst);
  const count = (until: (probability: number) => boolean, added: number): number => {
    const index = ofFirst.findIndex(({ probability }) => until(probability));
    return index === -1 ? Infinity : index + added;
  };
  // The token at which the sum reaches the bound is still kept.
  const byTopP = (bound: number): number => {
    let sum = 0;
    return count((probability) => (sum += probability) >= bound, 1);
  };
  const byMinP = (share: number): number => {
    const floor = share * (candidates[0]?.probability ?? 0);
    return count((probability) => probability < floor, 0);
  };
  const beyond = beyondOf(candidates, choice, unlisted);
  const isByTopP = topP < 1;
  const isByMinP = minP > 0;
  const least = Math.min(
    isByTopP ? byTopP((topP - tieMass) * whole) : Infinity,
    isByMinP ? byMinP(minP * Math.exp(tieLogs)) : Infinity,
  );
  const most = Math.min(
    isByTopP ? byTopP((topP + tieMass) * (whole + beyond)) : Infinity,
    isByMinP ? byMinP(minP * Math.exp(-tieLogs)) : Infinity,
  );
  return {
    least: Math.max(1, Math.min(first, least)),
    most: Math.max(1, Math.min(first, most)),
    others: beyond > 0 && most === Infinity,
  };
}

/** The most probability, before the temperature, of tokens that are not among the candidates: each is no likelier than the last one. */
function beyondOf(candidates: readonly Candidate[], { topK = 0 }: Choice, unlisted: Unlisted): number {
  if (topK > 0 && topK <= candidates.length) return 0;
  return unlisted.count * unlisted.most;
}

function massOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { probability }) => sum + probability, 0);
}

function distance(draw: number, [from, to]: readonly [number, number]): number {
  return from > 1 ? 1 : Math.max(0, from - draw, draw - to);
}
