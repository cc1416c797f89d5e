import type { Infer } from "convex/values";
import { limits } from "../../../app/jobs/limits.ts";
import { refuse, wellFormed } from "../refuse.ts";
import type { textAnswer, vectorAnswer, workReport } from "../validators.ts";
import { readVector } from "../vectors.ts";
import { byteLength } from "./extent.ts";

/** The brackets around nothing, and what a device does not count. */
const fewBytes = 64 * 1024;

/**
 * Refuses an answer that cannot be one. Whether it is one to what was asked, and its counts of tokens within that, is
 * checked where they are paid for: model/orders/close.ts.
 */
export function checkAnswer(
  answer: Infer<typeof textAnswer> | Infer<typeof vectorAnswer>,
  { timing }: Pick<Infer<typeof workReport>, "timing">,
): void {
  if ("text" in answer) checkText(answer);
  else checkVectors(answer);
  for (const ms of [timing.prefillMs, timing.generateMs]) {
    if (!(Number.isFinite(ms) && ms >= 0)) refuse("invalid", "A timing must be a number of milliseconds.");
  }
}

function checkText({ text, toolCalls = [], logprobs = [] }: Infer<typeof textAnswer>): void {
  const beside = byteLength(JSON.stringify([toolCalls, logprobs]));
  if (byteLength(text) + beside > limits.resultBytes + fewBytes)
    refuse("too_large", "The result is too large.");
  wellFormed(text, "The result");
}

function checkVectors({ embeddings }: Infer<typeof vectorAnswer>): void {
  const chars = embeddings.reduce((sum, packed) => sum + packed.length, 0);
  if (chars > limits.resultBytes + fewBytes) refuse("too_large", "The result is too large.");
  const lengths = embeddings.map((packed) => readVector(packed)?.length ?? 0);
  if (lengths.includes(0)) refuse("invalid", "A vector must be 32-bit floats in base64.");
  if (new Set(lengths).size > 1) refuse("invalid", "The vectors must be of one length.");
}
