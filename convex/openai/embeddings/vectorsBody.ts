import type { ParsedEmbedding } from "../../../app/jobs/parse/parse-embedding.ts";
import type { ParsedRerank } from "../../../app/jobs/parse/parse-rerank.ts";
import { rankByCosine } from "../../../app/jobs/vectors/rank.ts";
import { numberBytes, remedies, takeTooMuch, tooLargeWords } from "../../../app/jobs/vectors/room.ts";
import { readVector } from "../../model/requests/answer.ts";
import type { RequestView } from "../../model/requests/watch.ts";
import { vectorsOf } from "../answerForm.ts";
import type { PromptField } from "../errors.ts";
import type { ApiError } from "../respond.ts";

/** The forms of a vector's numbers. */
export const encodings = ["float", "base64"] as const satisfies readonly Encoding[];
export type Encoding = ParsedEmbedding["encoding"];

/** The vectors of all parts, in their order. */
export type Vectors = {
  readonly embeddings: readonly string[];
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number };
};

/** OpenAI's list of embedding objects, in the order of the inputs. */
export function vectorsBody(
  model: string,
  encoding: Encoding,
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

/** The ranking, in the words of Jina's and Cohere's APIs. */
export function rankingBody(
  { documents, topN, returnDocuments }: Pick<ParsedRerank, "documents" | "topN" | "returnDocuments">,
  { embeddings, usage: { promptTokens } }: Vectors,
  { jobId, modelId }: { readonly jobId: string; readonly modelId: string },
): object {
  const [query = [], ...vectors] = embeddings.map((packed) => readVector(packed) ?? []);
  const results = rankByCosine(query, vectors).slice(0, topN);
  return {
    id: `rerank-${jobId}`,
    object: "list",
    model: modelId,
    results: results.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(returnDocuments ? { document: { text: documents[index] } } : {}),
    })),
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  };
}

/** The vectors of several jobs, in the order of the inputs. */
export function allVectors(all: readonly NonNullable<RequestView["result"]>[]): Vectors {
  const results = all.map(vectorsOf);
  const promptTokens = results.reduce((sum, { usage }) => sum + usage.promptTokens, 0);
  return {
    embeddings: results.flatMap((result) => result.embeddings),
    usage: { promptTokens, completionTokens: 0 },
  };
}

/** The error of an answer whose vectors take too much room. All vectors of a model have one length, so one tells the size. */
export function tooLarge(
  vector: string,
  {
    count,
    bytesOfNumber,
    param,
    remedy,
  }: {
    readonly count: number;
    readonly bytesOfNumber: number;
    readonly param: PromptField;
    readonly remedy: string;
  },
): ApiError | null {
  if (!takeTooMuch(vector, count, bytesOfNumber)) return null;
  return {
    status: 400,
    type: "invalid_request_error",
    code: "result_too_large",
    param,
    message: tooLargeWords(remedy),
  };
}

export const encodingRemedies = {
  base64: remedies.inputs,
  float: 'Send fewer inputs, or ask for "encoding_format": "base64".',
} as const;

/** The error of vectors that are too long for an answer of this call. */
export function vectorsMistake(encoding: Encoding, vector: string, count: number): ApiError | null {
  return tooLarge(vector, {
    count,
    bytesOfNumber: numberBytes[encoding],
    remedy: encodingRemedies[encoding],
    param: "input",
  });
}

/** The error of a ranking whose vectors are too long. The query has one, too. */
export function tooManyDocuments(vector: string, documents: number): ApiError | null {
  return tooLarge(vector, {
    count: 1 + documents,
    bytesOfNumber: numberBytes.base64,
    param: "documents",
    remedy: remedies.documents,
  });
}
