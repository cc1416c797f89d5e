import { parseEmbedding, refuseSeveralJobs } from "../../../app/jobs/parse/parse-embedding.ts";
import { embeddingParts } from "../../../app/jobs/vectors/embedding-parts.ts";
import type { ActionCtx } from "../../_generated/server.js";
import { vectorsOf } from "../answerForm.ts";
import type { Caller } from "../endpoint.ts";
import { fromParse } from "../errors.ts";
import { answerWhole } from "../follow.ts";
import { readCall } from "../readCall.ts";
import { answerWithJob } from "../requestedJob.ts";
import { errorResponse } from "../respond.ts";
import { answerParts, numberBytes, tooLarge } from "./parts.ts";
import { vectorsBody } from "./vectorsBody.ts";

/**
 * POST /v1/embeddings. A few inputs are one job. Many are several, whose vectors come together in one answer. A call that is
 * answered with its job has one, whatever its inputs.
 */
export async function embeddings(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const read = await readCall(request, caller, parseEmbedding);
  if (read.kind === "refused") return errorResponse(read.error);
  const { call } = read;
  const { encoding, request: asked } = call.asked;
  const parts = embeddingParts(asked.inputs);
  if (call.prefer.respondAsync) {
    const several = refuseSeveralJobs(asked);
    if (several !== null) return errorResponse(fromParse(several.refusal));
  } else if (parts.length > 1) {
    const works = parts.map((inputs) => ({ ...asked, inputs }));
    const remedy =
      encoding === "base64"
        ? "Send fewer inputs."
        : 'Send fewer inputs, or ask for "encoding_format": "base64".';
    const size = { count: asked.inputs.length, bytesOfNumber: numberBytes[encoding], remedy };
    return await answerParts(ctx, request.signal, caller, call, works, {
      promptField: "input",
      mistake: (vector) => tooLarge(vector, { ...size, param: "input" }),
      body: (vectors, { modelId }) => vectorsBody(modelId, encoding, vectors),
    });
  }
  const options = {
    work: { kind: "embedding", request: asked },
    stream: false,
    promptField: "input",
  } as const;
  return await answerWithJob(ctx, caller, call, options, async (job) => {
    return await answerWhole(ctx, job, request.signal, (result) =>
      vectorsBody(job.modelId, encoding, vectorsOf(result)),
    );
  });
}
