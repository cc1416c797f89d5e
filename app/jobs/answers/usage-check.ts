import type { Usage } from "../chat.ts";

/** The bounds of an answer's cost, from its request. */
type UsageBounds = {
  /** The prompt's bytes, and the tokens that templates and tokenizers may add: an upper bound of its tokens. */
  readonly promptTokens: number;
  readonly contextTokens: number;
  readonly maxTokens: number;
  /** The bytes that the model wrote, in UTF-8. A token that shows has at least one byte. */
  readonly answerBytes: number;
};

type Report = {
  readonly usage: Usage;
  readonly timing: { readonly prefillMs: number; readonly generateMs: number };
};

/** Control tokens in an answer, which have no text. A runner ends an answer that has more. */
export const mostControlTokens = 32;
/** Tokens that do not show in an answer: control tokens, those that begin a tool call, and a few blanks at the end. */
export const hiddenTokens = mostControlTokens + 16;

/** A device may count a little longer than we do: its clock is another one. */
const spareMs = 10 * 60_000;

/**
 * Checks the costs that a device reports. Returns the mistake as a sentence; null if the costs are possible.
 * @param heldMs how long the device has had the job.
 */
export function usageMistake({ usage, timing }: Report, bounds: UsageBounds, heldMs: number): string | null {
  const { promptTokens, completionTokens, cachedPromptTokens = 0 } = usage;
  const counts: readonly (readonly [string, number, number])[] = [
    ["promptTokens", promptTokens, Math.min(bounds.promptTokens, bounds.contextTokens)],
    ["completionTokens", completionTokens, Math.min(bounds.maxTokens, bounds.answerBytes + hiddenTokens)],
    ["cachedPromptTokens", cachedPromptTokens, promptTokens],
  ];
  for (const [name, value, most] of counts) {
    if (!isCount(value, most)) return `${name} is not a whole number from 0 to ${String(most)}.`;
  }
  for (const [name, ms] of Object.entries(timing)) {
    if (!(ms >= 0 && ms <= heldMs + spareMs)) return `${name} is not a time that the device had.`;
  }
  return null;
}

function isCount(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most;
}
