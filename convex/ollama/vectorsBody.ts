import { readVector } from "../model/requests/answer.ts";
import type { Vectors } from "../openai/embeddings/vectorsBody.ts";
import { nanoseconds } from "./textBody.ts";

/** The answer of /api/embed. @param tookMs from the call until the vectors were there. */
export function embedBody(model: string, { embeddings, usage }: Vectors, tookMs: number): object {
  return {
    model,
    embeddings: embeddings.map(readVector),
    total_duration: nanoseconds(tookMs),
    prompt_eval_count: usage.promptTokens,
  };
}

/** The answer of /api/embeddings, the older call for one text. */
export function embeddingBody({ embeddings: [vector] }: Vectors): object {
  return { embedding: vector === undefined ? [] : readVector(vector) };
}
