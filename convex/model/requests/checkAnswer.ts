import type { Infer } from "convex/values";
import { limits } from "../../../app/jobs/limits.ts";
import { refuse, wellFormed } from "../refuse.ts";
import type { chatReport, chatText } from "../validators.ts";
import { byteLength } from "./check.ts";

/** The brackets around nothing, and what a device does not count. */
const fewBytes = 64 * 1024;

/**
 * Refuses an answer that cannot be one. Whether its counts of tokens are within what was asked for is checked where
 * they are paid for: model/orders/close.ts.
 */
export function checkAnswer(
  { text, toolCalls = [], logprobs = [] }: Infer<typeof chatText>,
  { timing }: Pick<Infer<typeof chatReport>, "timing">,
): void {
  const beside = byteLength(JSON.stringify([toolCalls, logprobs]));
  if (byteLength(text) + beside > limits.resultBytes + fewBytes)
    refuse("too_large", "The result is too large.");
  wellFormed(text, "The result");
  for (const ms of [timing.prefillMs, timing.generateMs]) {
    if (!(Number.isFinite(ms) && ms >= 0)) refuse("invalid", "A timing must be a number of milliseconds.");
  }
}
