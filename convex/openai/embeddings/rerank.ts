import { type ParsedRerank, parseRerank } from "../../../app/jobs/parse/parse-rerank.ts";
import { embeddingParts } from "../../../app/jobs/vectors/embedding-parts.ts";
import { rankByCosine } from "../../../app/jobs/vectors/rank.ts";
import type { ActionCtx } from "../../_generated/server.js";
import { readVector } from "../../model/requests/answer.ts";
import type { Caller } from "../endpoint.ts";
import { readCall } from "../readCall.ts";
import { type ApiError, errorResponse } from "../respond.ts";
import { answerParts, numberBytes, tooLarge, type Vectors } from "./parts.ts";

/**
 * POST /v1/rerank. The query and the documents become vectors, in embedding jobs, and the cosines between them are the ranks. Needs
 * no model but one for embeddings.
 */
export async function rerank(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const read = await readCall(request, caller, parseRerank);
  if (read.kind === "refused") return errorResponse(read.error);
  const { call } = read;
  const { asked } = call;
  if (call.prefer.respondAsync) return errorResponse(rerankWithoutWait);
  const parts = embeddingParts([asked.query, ...asked.documents]).map((inputs) => ({ inputs }));
  return await answerParts(ctx, request.signal, caller, call, parts, {
    promptField: "documents",
    mistake: (vector) =>
      tooLarge(vector, {
        count: 1 + asked.documents.length,
        bytesOfNumber: numberBytes.base64,
        param: "documents",
        remedy: "Send fewer documents.",
      }),
    body: (vectors, { jobId, modelId }) => rankingBody(asked, vectors, { jobId, modelId }),
  });
}

/** The ranking, in the words of Jina's and Cohere's APIs. */
function rankingBody(
  { documents, topN, returnDocuments }: ParsedRerank,
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

const rerankWithoutWait: ApiError = {
  status: 400,
  type: "invalid_request_error",
  code: "unsupported_value",
  message: "A ranking is not kept, so Prefer: respond-async is not supported here. Wait for the answer.",
};
