import type { Replay } from "../../app/trust/replay.ts";
import { exponential, normal, type Random } from "../structures/random.ts";

/** How a device that does not run the model makes its answers. */
export const frauds = ["random-text", "smaller-model", "wrong-quantization", "copied-answers"] as const;
export type Fraud = (typeof frauds)[number];

/** How the tokens of an answer fit the checker's model, on average. */
type Fit = {
  /** The share of tokens that are misses. */
  readonly misses: number;
  /** The mean regret of a miss. */
  readonly missRegret: number;
  /** The mean regret of other tokens. */
  readonly otherRegret: number;
};

/**
 * Measured on the demo model at a temperature of 1.5, by `npm run -s bench -- trust`: random words, a similar model, 4 bits of 8, and
 * the answer to another question. Honest answers had no misses on one and the same computer. Here they have what two different
 * computers may have, which was not measured.
 */
const fits: Readonly<Record<Fraud | "honest", Fit>> = {
  honest: { misses: 0.0005, missRegret: 0.3, otherRegret: 0.001 },
  "random-text": { misses: 0.75, missRegret: 0.43, otherRegret: 0.004 },
  "smaller-model": { misses: 0.12, missRegret: 0.29, otherRegret: 0.002 },
  "wrong-quantization": { misses: 0.045, missRegret: 0.2, otherRegret: 0.002 },
  "copied-answers": { misses: 0.45, missRegret: 0.39, otherRegret: 0.004 },
};

/** Answers differ: how often their tokens miss has a lognormal distribution around the mean. */
const spread = 0.5;
/** Lognormal, as in the other simulations. */
const answerTokens = { mean: 150, sigma: 1, least: 5, most: 1_200 };
const promptTokens = { mean: 300, sigma: 1, least: 10, most: 4_000 };

/** An answer, as every honest checker finds it. */
export type Answer = {
  readonly prompt: number;
  readonly tokens: number;
  readonly isWrong: boolean;
  /** Drawn when somebody replays it. */
  readonly fit: Fit;
};

function lengthFrom(random: Random, { mean, sigma, least, most }: typeof answerTokens): number {
  const drawn = mean * Math.exp(sigma * normal(random) - sigma ** 2 / 2);
  return Math.max(least, Math.min(most, Math.round(drawn)));
}

/** @param fraud how it was made; null by the model. */
export function drawAnswer(random: Random, fraud: Fraud | null): Answer {
  const fit = fits[fraud ?? "honest"];
  return {
    prompt: lengthFrom(random, promptTokens),
    tokens: lengthFrom(random, answerTokens),
    isWrong: fraud !== null,
    fit: { ...fit, misses: Math.min(1, fit.misses * Math.exp(spread * normal(random) - spread ** 2 / 2)) },
  };
}

/** The misses of an answer. They are the same for each honest checker. */
export type Misses = { readonly count: number; readonly regret: number };

export function drawMisses(random: Random, { tokens, fit }: Answer): Misses {
  let [count, regret] = [0, 0];
  for (let token = 0; token < tokens; token += 1) {
    if (random.next() >= fit.misses) continue;
    count += 1;
    regret += Math.min(1, Math.max(0.05, exponential(random, fit.missRegret)));
  }
  return { count, regret };
}

/** The report of an honest checker. @param noise how much more than usual these two computers differ. */
export function honestReport(random: Random, { tokens, fit }: Answer, misses: Misses, noise: number): Replay {
  const others = (tokens - misses.count) * Math.min(0.04, exponential(random, fit.otherRegret * noise));
  return {
    tokens,
    regret: Math.min(tokens, misses.regret + others),
    misses: misses.count,
    impossible: 0,
    logprob: -tokens,
  };
}

/** The report of a checker that calls an answer right, or wrong, without a look at it. */
export function inventedReport({ tokens }: Answer, isRight: boolean): Replay {
  const misses = isRight ? 0 : Math.ceil(tokens / 2);
  return { tokens, regret: misses, misses, impossible: misses, logprob: -tokens };
}
