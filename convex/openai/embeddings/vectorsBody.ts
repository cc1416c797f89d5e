import type { ParsedEmbedding } from "../../../app/jobs/parse/parse-embedding.ts";
import { readVector } from "../../model/requests/answer.ts";
import type { Vectors } from "./parts.ts";

/** OpenAI's list of embedding objects, in the order of the inputs. */
export function vectorsBody(
  model: string,
  encoding: ParsedEmbedding["encoding"],
  { embeddings: vectors, usage }: Vectors,
): object {
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
