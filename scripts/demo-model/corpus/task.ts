import type { Random } from "./random.ts";

/** One question, and the only answer that counts as right. */
export interface Exchange {
  readonly prompt: string;
  readonly answer: string;
}

/**
 * Makes one exchange of a task. A task reads only its random stream and has no other state, so the seed determines
 * the text. The order of the draws is part of its contract (see sampler.test.ts).
 */
export type Task = (random: Random) => Exchange;
