import { parseRerank } from "../../../app/jobs/parse/parse-rerank.ts";
import { embeddingParts } from "../../../app/jobs/vectors/embedding-parts.ts";
import type { ActionCtx } from "../../_generated/server.js";
import type { Caller } from "../endpoint.ts";
import { readCall } from "../readCall.ts";
import { errorResponse } from "../respond.ts";
import { answerParts } from "./parts.ts";
import { rankingBody, tooManyDocuments } from "./vectorsBody.ts";

/**
 * POST /v1/rerank. The query and the documents become vectors, in embedding jobs, and the cosines between them are the ranks. Needs
 * no model but one for embeddings.
 */
export async function rerank(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const read = await readCall(request, caller, parseRerank);
  if (read.kind === "refused") return errorResponse(read.error);
  const { call } = read;
  const { asked } = call;
  const parts = embeddingParts([asked.query, ...asked.documents]).map((inputs) => ({ inputs }));
  return await answerParts(ctx, request.signal, caller, call, parts, {
    promptField: "documents",
    ranking: { topN: asked.topN, returnDocuments: asked.returnDocuments },
    mistake: (vector) => tooManyDocuments(vector, asked.documents.length),
    body: (vectors, { jobId, modelId }) => rankingBody(asked, vectors, { jobId, modelId }),
  });
}
