import type { Infer } from "convex/values";
import { limits } from "../../../app/jobs/limits.ts";
import { utf8Length } from "../../../app/jobs/utf8.ts";
import { refuse, wellFormed } from "../refuse.ts";
import type { textAnswer, vectorAnswer, workReport } from "../validators.ts";

/** Allows for JSON brackets and for bytes that a device does not count. */
const spareBytes = 64 * 1024;

/**
 * Refuses (invalid, too_large) a malformed answer. jobs.onFinal checks that it fits the request, and its token
 * counts, because it reads the order.
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
  const otherBytes = utf8Length(JSON.stringify([toolCalls, logprobs]));
  if (utf8Length(text) + otherBytes > limits.resultBytes + spareBytes)
    refuse("too_large", "The result is too large.");
  wellFormed(text, "The result");
}

function checkVectors({ embeddings }: Infer<typeof vectorAnswer>): void {
  const chars = embeddings.reduce((sum, packed) => sum + packed.length, 0);
  if (chars > limits.resultBytes + spareBytes) refuse("too_large", "The result is too large.");
  const lengths = embeddings.map((packed) => readVector(packed)?.length ?? 0);
  if (lengths.includes(0)) refuse("invalid", "A vector must be 32-bit floats in base64.");
  if (new Set(lengths).size > 1) refuse("invalid", "All vectors must have the same length.");
}

/** Reads a vector: 32-bit floats, little-endian, in base64. Null if the text is no vector of finite numbers. */
export function readVector(packed: string): readonly number[] | null {
  const bytes = decode(packed);
  if (bytes === null || bytes.length === 0 || bytes.length % 4 !== 0) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vector = Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
  return vector.every(Number.isFinite) ? vector : null;
}

function decode(packed: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
