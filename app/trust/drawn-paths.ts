import { missRegret } from "./replay.ts";
import {
  type Candidate,
  type Choice,
  type TokenFit,
  tokenFit,
  tokensNear,
  type Unlisted,
} from "./token-fit.ts";

/*
 * A grammar lets llama.cpp choose a token in two ways. It first chooses as if there was no grammar, with the next drawn number. If the
 * grammar refuses that token, it chooses again among the tokens that the grammar allows, with another number. So a token takes one or
 * two numbers. Where a number is close to the border of an allowed and a refused token, two computers may differ in this. So a replay
 * follows both ways, and the one that fits the whole answer best counts.
 */

/** A place of an answer: the tokens that the checker's model may write there. */
export type Place = {
  /** The likeliest first, as if there was no grammar. */
  readonly candidates: readonly Candidate[];
  readonly unlisted: Unlisted;
  /** Whether the grammar allows a token. Null: there is no grammar. */
  readonly allows: ((token: number) => boolean) | null;
  /** Whether the grammar leaves no choice of the text. Then the token tells nothing about the model, and does not count. */
  readonly isForced: boolean;
};

/** How the tokens of an answer are drawn. */
export type Drawn = {
  readonly choice: Choice;
  /** The number that llama.cpp draws at a place, from 0; null if numbers are not known. */
  readonly numberAt: (at: number) => number | null;
  /** Whether it asks the grammar first, so that each token takes one number. It does if the request wants log probabilities. */
  readonly isGrammarFirst: boolean;
};

type Step = {
  readonly before: Step | null;
  /** The numbers that were drawn so far. */
  readonly numbers: number;
  /** The sum of all regrets, also of tokens that do not count. */
  readonly total: number;
  readonly fit: TokenFit;
  readonly counts: boolean;
  readonly isVague: boolean;
  readonly isUnlikely: boolean;
};

/** A way in which a token may be chosen, and the numbers that it takes. */
type Way = Pick<Step, "numbers" | "fit" | "isVague">;

/** Ways that are followed at once. Nearly always there is one. */
const mostWays = 6;
/** A way that fits so much worse than the best one is hardly the right one. */
const closeRegret = 0.02;

/** The ways in which the tokens of an answer so far may have been drawn, the one that fits best first. It never changes. */
export class DrawnPaths {
  readonly #drawn: Drawn;
  readonly #ways: readonly Step[];

  constructor(drawn: Drawn, ways: readonly Step[] = []) {
    this.#drawn = drawn;
    this.#ways = ways;
  }

  /** The fit of the newest token, also if it does not count. */
  get newest(): TokenFit {
    return this.#ways[0]?.fit ?? { regret: 0, logprob: null };
  }

  /** Whether more candidates would tell more of the newest token: the grammar allows hardly any of those that are known. */
  get isVague(): boolean {
    const least = this.#ways[0]?.total ?? 0;
    return this.#ways.some(({ total, isVague }) => isVague && total <= least + closeRegret);
  }

  /** Whether the model would hardly write any of the tokens that the grammar allowed at the newest place. */
  get isUnlikely(): boolean {
    return this.#ways[0]?.isUnlikely ?? false;
  }

  /** The fits of the tokens that count, in their order. */
  fits(): readonly TokenFit[] {
    return this.#fits(true);
  }

  /** The fits of the tokens that do not count, in their order. They tell only how a text was split into tokens. */
  uncounted(): readonly TokenFit[] {
    return this.#fits(false);
  }

  #fits(counts: boolean): readonly TokenFit[] {
    const fits: TokenFit[] = [];
    for (let step = this.#ways[0] ?? null; step !== null; step = step.before)
      if (step.counts === counts) fits.push(step.fit);
    return fits.toReversed();
  }

  /** With one more token. */
  with(token: number, place: Place): DrawnPaths {
    const allowed = new Allowed(place, this.#drawn.choice);
    const isUnlikely = !allowed.areLikely();
    const starts = this.#ways.length === 0 ? [null] : this.#ways;
    const best = new Map<number, Step>();
    const ways = starts.flatMap((before) =>
      this.#waysOf(token, place, allowed, before?.numbers ?? 0).map(({ numbers, fit, isVague }) => ({
        before,
        numbers: (before?.numbers ?? 0) + numbers,
        total: (before?.total ?? 0) + fit.regret,
        fit,
        counts: !place.isForced && !isVague && !isUnlikely,
        isVague,
        isUnlikely,
      })),
    );
    for (const way of ways.toSorted((one, other) => one.total - other.total))
      if (!best.has(way.numbers)) best.set(way.numbers, way);
    return new DrawnPaths(this.#drawn, [...best.values()].slice(0, mostWays));
  }

  /** The ways in which a token may be chosen. There is at least one. */
  #waysOf(token: number, place: Place, allowed: Allowed, from: number): readonly Way[] {
    const { candidates, unlisted, allows } = place;
    const { choice, numberAt, isGrammarFirst } = this.#drawn;
    const number = numberAt(from);
    // Without chance, the best token that is allowed is the one of both ways.
    if (allows !== null && (isGrammarFirst || choice.temperature === 0))
      return [{ numbers: 1, ...allowed.fit(token, number) }];
    const free = { numbers: 1, fit: tokenFit(candidates, token, choice, number, unlisted), isVague: false };
    if (allows === null) return [free];
    if (number === null) {
      if (free.fit.regret === 0) return [free];
      return [{ numbers: 1, ...allowed.fit(token, null) }];
    }
    const near = tokensNear(candidates, choice, number, unlisted, missRegret);
    const refused = near.tokens.filter((each) => !allows(each.token)).map(({ regret }) => regret);
    const least = Math.min(...refused, near.unlisted ?? Infinity);
    if (least === Infinity) return [free];
    const { fit, isVague } = allowed.fit(token, numberAt(from + 1));
    // The token, or another one of the same text, is among those that are not known.
    const isMissing = near.unlisted !== null && (free.fit.regret > missRegret || free.fit.logprob === null);
    return [
      { ...free, isVague: isMissing },
      { numbers: 2, fit: { ...fit, regret: Math.min(1, least + fit.regret) }, isVague },
    ];
  }
}

/** The grammar is asked about candidates until the others have at most this share of the probability of the allowed ones. */
const negligibleShare = 0.001;
/** If tokens that are not known may have more than this share, the fit is vague. */
const vagueShare = 0.05;

/**
 * If all tokens that the grammar allows have less of the probability together, they are hardly known. Two computers differ more in
 * unlikely tokens, and unusual tokenizations are as likely as the usual one.
 */
const leastShare = 0.01;

/** The candidates of a place that the grammar allows. It is asked about no more of them than needed. */
class Allowed {
  readonly #place: Place;
  readonly #choice: Choice;
  #found: {
    readonly candidates: readonly Candidate[];
    readonly unlisted: Unlisted;
    readonly isVague: boolean;
  } | null = null;

  constructor(place: Place, choice: Choice) {
    this.#place = place;
    this.#choice = choice;
  }

  /** The fit of a token that is chosen among these. */
  fit(token: number, number: number | null): Pick<Way, "fit" | "isVague"> {
    this.#found ??= this.#find();
    const { candidates, unlisted, isVague } = this.#found;
    if (candidates.length === 0) return { fit: { regret: 0, logprob: null }, isVague: true };
    const isListed = candidates.some((each) => each.token === token);
    // One that was not asked about is known not to be likely.
    const isKnown = isListed || this.#place.candidates.some((each) => each.token === token);
    return {
      fit: tokenFit(candidates, token, this.#choice, number, unlisted),
      isVague: isVague || (!isKnown && this.#place.unlisted.count > 0),
    };
  }

  /** Whether the model may write one of them without the grammar, too. */
  areLikely(): boolean {
    const { candidates, allows } = this.#place;
    if (allows === null) return true;
    let share = 0;
    for (const { token, probability } of candidates) {
      if (probability * candidates.length < leastShare - share) return false;
      if (allows(token)) share += probability;
      if (share >= leastShare) return true;
    }
    return false;
  }

  #find() {
    const { candidates, unlisted, allows } = this.#place;
    const heated = (probability: number): number =>
      (probability / (candidates[0]?.probability ?? 1)) ** (1 / (this.#choice.temperature || 1));
    const found: Candidate[] = [];
    let mass = 0;
    let left = unlisted;
    for (const [at, candidate] of candidates.entries()) {
      const after = candidates.length - at + unlisted.count;
      if (after * heated(candidate.probability) <= negligibleShare * mass) {
        left = { count: after, most: candidate.probability };
        break;
      }
      if (allows?.(candidate.token) === false) continue;
      found.push(candidate);
      mass += heated(candidate.probability);
    }
    const isVague = unlisted.count > 0 && left.count * heated(left.most) > vagueShare * mass;
    return { candidates: found, unlisted: left, isVague };
  }
}
