import type { Sampling } from "./sampling.ts";

/** A completion job's payload: text that the model goes on with, without a chat template. Answered as a chat is. */
export type CompletionRequest = Sampling & { readonly prompt: string };
