import type { CallForm } from "../../../app/jobs/call-forms.ts";
import { type ParsedEmbedding, parseEmbedding } from "../../../app/jobs/parse/parse-embedding.ts";
import { embeddingParts } from "../../../app/jobs/vectors/embedding-parts.ts";
import { numberBytes } from "../../../app/jobs/vectors/room.ts";
import type { ActionCtx } from "../../_generated/server.js";
import { vectorsOf } from "../answerForm.ts";
import type { Caller } from "../endpoint.ts";
import type { PromptField } from "../errors.ts";
import { answerWhole } from "../follow.ts";
import { type Call, readCall } from "../readCall.ts";
import { answerWithJob } from "../requestedJob.ts";
import { errorResponse } from "../respond.ts";
import { answerParts } from "./parts.ts";
import { type Encoding, encodingRemedies, tooLarge, type Vectors, vectorsBody } from "./vectorsBody.ts";

/** POST /v1/embeddings. */
export async function embeddings(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const read = await readCall(request, caller, parseEmbedding);
  if (read.kind === "refused") return errorResponse(read.error);
  const { call } = read;
  const { encoding } = call.asked;
  return await answerVectors(ctx, request.signal, caller, call, {
    promptField: "input",
    encoding,
    bytesOfNumber: numberBytes[encoding],
    remedy: encodingRemedies[encoding],
    body: (vectors, modelId) => vectorsBody(modelId, encoding, vectors),
  });
}

/** How a call answers with its vectors. */
type Form = {
  /** Absent: as OpenAI's call. */
  readonly callForm?: CallForm;
  readonly promptField: PromptField;
  /** Absent: numbers. */
  readonly encoding?: Encoding;
  /** The bytes of the answer for each number of a vector. */
  readonly bytesOfNumber: number;
  /** Helps against an answer that is too large. */
  readonly remedy: string;
  readonly body: (vectors: Vectors, modelId: string) => object;
};

/**
 * Answers a call with the vectors of its inputs. A few inputs are one job. Many are several, whose vectors come together in one
 * answer.
 * @param signal aborts when the client has left or the server stops.
 */
export async function answerVectors(
  ctx: ActionCtx,
  signal: AbortSignal,
  caller: Caller,
  call: Call<ParsedEmbedding>,
  { callForm, promptField, encoding, bytesOfNumber, remedy, body }: Form,
): Promise<Response> {
  const { request: asked } = call.asked;
  const parts = embeddingParts(asked.inputs);
  const ofCall = callForm === undefined ? {} : { callForm };
  const encoded = encoding === undefined ? {} : { encoding };
  if (parts.length > 1) {
    const works = parts.map((inputs) => ({ ...asked, inputs }));
    const size = { count: asked.inputs.length, bytesOfNumber, remedy, param: promptField };
    return await answerParts(ctx, signal, caller, call, works, {
      ...ofCall,
      ...encoded,
      promptField,
      mistake: (vector) => tooLarge(vector, size),
      body: (vectors, { modelId }) => body(vectors, modelId),
    });
  }
  const work = { kind: "embedding", request: asked } as const;
  const options = { ...ofCall, work, stream: false, promptField };
  return await answerWithJob(ctx, caller, call, options, async (job) => {
    return await answerWhole(ctx, job, signal, (result) => body(vectorsOf(result), job.modelId));
  });
}
