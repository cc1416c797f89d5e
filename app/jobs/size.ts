import { bytesPerToken, type Extent } from "./extent.ts";

/** How much work a job is, in tokens, for a comparison of devices. An estimate: no tokenizer has read the prompt. */
export type Size = {
  readonly input: number;
  /** The most that a device may have to write: the longest answer, as often as it may have to be written. */
  readonly output: number;
  /** Tokens of a usual answer, if that is less. */
  readonly likelyOutput: number;
  /** A device that has to load the model first is not late before this time. */
  readonly setupMs: number;
};

/** A model of 5 GB is read from a laptop's disk in about ten seconds. */
const loadMs = 20_000;
/** Most answers are shorter than requests allow. */
const usualAnswerTokens = 256;

export function sizeOf({ likelyPromptBytes, likelyAddedTokens, most, tries = 1 }: Extent): Size {
  const { completionTokens } = most;
  return {
    input: Math.ceil(likelyPromptBytes / bytesPerToken) + likelyAddedTokens,
    output: tries * completionTokens,
    likelyOutput: Math.min(completionTokens, usualAnswerTokens),
    setupMs: loadMs,
  };
}
