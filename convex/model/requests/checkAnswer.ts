import type { Infer } from "convex/values";
import { limits } from "../../../app/jobs/limits.ts";
import { refuse, wellFormed } from "../refuse.ts";
import type { chatReport, chatText } from "../validators.ts";
import { byteLength } from "./check.ts";

/**
 * Refuses an answer that cannot be one. Whether its counts of tokens are within what was asked for is checked where
 * they are paid for: model/orders/close.ts.
 */
export function checkAnswer(
  { text }: Infer<typeof chatText>,
  { timing }: Pick<Infer<typeof chatReport>, "timing">,
): void {
  if (byteLength(text) > limits.resultBytes) refuse("too_large", "The result is too large.");
  wellFormed(text, "The result");
  for (const ms of [timing.prefillMs, timing.generateMs]) {
    if (!(Number.isFinite(ms) && ms >= 0)) refuse("invalid", "A timing must be a number of milliseconds.");
  }
}
