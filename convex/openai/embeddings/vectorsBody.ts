import type { ParsedEmbedding } from "../../../app/jobs/parse/parse-embedding.ts";
import { readVector } from "../../model/requests/answer.ts";
import type { RequestView } from "../../model/requests/watch.ts";
import { vectorsOf } from "../answerForm.ts";

/** OpenAI's list of embedding objects, in the order of the inputs. */
export function vectorsBody(
  model: string,
  encoding: ParsedEmbedding["encoding"],
  result: NonNullable<RequestView["result"]>,
): object {
  const { embeddings: vectors, usage } = vectorsOf(result);
  return {
    object: "list",
    data: vectors.map((packed, index) => ({
      object: "embedding",
      index,
      embedding: encoding === "base64" ? packed : readVector(packed),
    })),
    model,
    usage: { prompt_tokens: usage.promptTokens, total_tokens: usage.promptTokens },
  };
}
