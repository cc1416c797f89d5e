import { hiddenTokens } from "../jobs/answers/usage-check.ts";
import type { Replay, TokenCounts } from "./replay.ts";

/*
 * A device is paid for the tokens that it reports. A checker tokenizes the same prompt and answer, so it can tell if these are far too
 * many.
 */

/** Counts that a device reported, and those of the checker that found them too high. */
export type Overclaim = { readonly claimed: TokenCounts; readonly counted: TokenCounts };

/** A text has several tokenizations, and versions of Gleaner may fill a template differently. */
const spareShare = 0.25;
/** Tokens that another version may put around a prompt. */
const sparePromptTokens = 64;
/** An answer that fits up to the token that ends it has few hidden tokens: others would have changed the draws. */
const hiddenInWhole = 16;

/**
 * Compares the reported tokens of an answer with the checker's. An honest device may report more than the checker counts: control
 * tokens, a stop text and broken characters do not show in the text.
 * @param unseenTokens a bound of the tokens of cut and broken text, by `unseenTokens` of its answer.
 * @returns null if the reported counts are possible.
 */
export function overclaimOf(
  claimed: TokenCounts,
  counted: TokenCounts,
  replay: Pick<Replay, "tokens" | "misses">,
  unseenTokens: number,
): Overclaim | null {
  // An answer without text may have nothing but control tokens.
  const isWhole =
    replay.misses === 0 && counted.completionTokens > 0 && replay.tokens > counted.completionTokens;
  const spare = unseenTokens + (isWhole ? hiddenInWhole : hiddenTokens);
  const most = {
    promptTokens: counted.promptTokens * (1 + spareShare) + sparePromptTokens,
    completionTokens: counted.completionTokens * (1 + spareShare) + spare,
  };
  const isPossible =
    claimed.promptTokens <= most.promptTokens && claimed.completionTokens <= most.completionTokens;
  if (isPossible) return null;
  const { promptTokens, completionTokens } = claimed;
  return { claimed: { promptTokens, completionTokens }, counted };
}
