import type { Speed } from "../../app/contract/runner.ts";
import type { ChatResult } from "../../app/jobs/chat.ts";

/** Fewer tokens, or less time, say too little. */
const leastTokens = 16;
const leastMs = 20;

/** Tokens per second of an answer that was made alone; null where it was too short to tell. */
export function speedOf({ usage, timing }: Pick<ChatResult, "usage" | "timing">): Speed | null {
  const read = usage.promptTokens - (usage.cachedPromptTokens ?? 0);
  const { prefillMs, generateMs } = timing;
  if (read < leastTokens || usage.completionTokens < leastTokens) return null;
  if (prefillMs < leastMs || generateMs < leastMs) return null;
  // The first token comes with the prompt.
  return { prefill: perSecond(read, prefillMs), generate: perSecond(usage.completionTokens - 1, generateMs) };
}

/** What is known of a speed after one more measurement: recent ones count for more, one odd one for little. */
export function afterAnother(known: Speed | null, measured: Speed): Speed {
  if (known === null) return measured;
  const mix = (before: number, now: number): number => rounded(before * 0.7 + now * 0.3);
  return {
    prefill: mix(known.prefill, measured.prefill),
    generate: mix(known.generate, measured.generate),
  };
}

export function perSecond(tokens: number, ms: number): number {
  return rounded((tokens / Math.max(ms, 1)) * 1_000);
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
