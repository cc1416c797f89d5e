import { type ParsedEmbedding, parseEmbedding } from "../../app/jobs/parse/parse-embedding.ts";
import type { ActionCtx } from "../_generated/server.js";
import { readVector } from "../model/requests/answer.ts";
import type { RequestView } from "../model/requests/watch.ts";
import type { Caller } from "./endpoint.ts";
import { answerWhole } from "./follow.ts";
import { readCall } from "./readCall.ts";
import { answerWithJob } from "./requestedJob.ts";
import { errorResponse } from "./respond.ts";

/**
 * POST /v1/embeddings. All inputs of a call are one job: one reservation, one idempotency key, one id, and no half
 * answers. A device reads the inputs one after the other anyway.
 */
export async function embeddings(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const read = await readCall(request, caller, parseEmbedding);
  if (read.kind === "refused") return errorResponse(read.error);
  const { call } = read;
  const work = { kind: "embedding", request: call.asked.request } as const;
  const options = { work, stream: false, promptField: "input" } as const;
  return await answerWithJob(ctx, caller, call, options, async (job) => {
    const { encoding } = call.asked;
    return await answerWhole(ctx, job, request.signal, (result) =>
      vectorsBody(job.modelId, encoding, result),
    );
  });
}

/** OpenAI's list of embedding objects, in the order of the inputs. */
export function vectorsBody(
  model: string,
  encoding: ParsedEmbedding["encoding"],
  result: NonNullable<RequestView["result"]>,
): object {
  if (!("embeddings" in result)) throw new Error("an embedding job has text");
  const { embeddings: vectors, usage } = result;
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
