import type { Random } from "./random.ts";

/** One question, and the only answer that counts as right. */
export interface Exchange {
  readonly prompt: string;
  readonly answer: string;
}

/**
 * Makes one exchange of a task. A task may only read its random stream: it has no other state, so that a
 * seed alone decides the text. The order of the draws is part of its contract (see sampler.test.ts).
 */
export type Task = (random: Random) => Exchange;
