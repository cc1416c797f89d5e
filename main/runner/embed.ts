import { contextExceeded, jobErrors } from "../../app/contract/job-errors.ts";
import type { JobError } from "../../app/jobs/chat.ts";
import type { EmbeddingRequest, EmbeddingResult } from "../../app/jobs/embedding.ts";
import { limits } from "../../app/jobs/limits.ts";
import type { LoadedModel } from "./load/model-slot.ts";
import type { Clock, Pace } from "./process/duty-cycle.ts";

export type EmbedOutcome =
  | { readonly kind: "done"; readonly result: EmbeddingResult }
  | { readonly kind: "failed"; readonly error: JobError }
  | { readonly kind: "aborted" };

/** Turns texts to vectors, one at a time. */
export async function embed(
  loaded: LoadedModel,
  { inputs }: EmbeddingRequest,
  { signal, pace, clock }: { readonly signal: AbortSignal; readonly pace: Pace; readonly clock: Clock },
): Promise<EmbedOutcome> {
  const startedAt = clock();
  const opened = await loaded.embedding();
  if (opened.kind === "unsuitable") return { kind: "failed", error: jobErrors.modelUnsuitable };
  if (opened.kind === "no-room") return { kind: "failed", error: jobErrors.outOfMemory };
  const { context } = opened;
  const embeddings: string[] = [];
  let promptTokens = 0;
  for (const input of inputs) {
    const wait = pace();
    if (wait !== null) await wait;
    if (signal.aborted) return { kind: "aborted" };
    const tokens = context.calculateInputLength(input);
    // The library wants one token of room.
    if (tokens >= loaded.contextTokens) {
      return { kind: "failed", error: contextExceeded(tokens, loaded.contextTokens) };
    }
    // Elsewhere there may be room for it.
    if (tokens >= opened.contextTokens) return { kind: "failed", error: jobErrors.outOfMemory };
    const { vector } = await context.getEmbeddingFor(input);
    promptTokens += tokens;
    const packed = pack(vector);
    // Known from the first one: a model's vectors are of one length.
    if (packed.length * inputs.length > limits.resultBytes - 4_096) {
      return { kind: "failed", error: jobErrors.resultTooLarge };
    }
    embeddings.push(packed);
  }
  if (signal.aborted) return { kind: "aborted" };
  return {
    kind: "done",
    result: {
      embeddings,
      usage: { promptTokens, completionTokens: 0 },
      timing: { prefillMs: Math.round(clock() - startedAt), generateMs: 0 },
    },
  };
}

/** Of length 1, so that a product of two is their cosine; as 32-bit floats, little-endian, in base64. */
export function pack(vector: readonly number[]): string {
  const length = Math.hypot(...vector) || 1;
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((each, index) => bytes.writeFloatLE(each / length, index * 4));
  return bytes.toString("base64");
}
