import { type ParsedEmbedding, parseEmbedding } from "../../app/jobs/parse-embedding.ts";
import type { ActionCtx } from "../_generated/server.js";
import { readVector } from "../model/vectors.ts";
import { type Result, vectorsOf } from "./answerOf.ts";
import { abandon, type AskedJob } from "./requestedJob.ts";
import { errorResponse } from "./errors.ts";
import { prepare } from "./readCall.ts";
import { submitWork } from "./submitWork.ts";
import { waitLimitMs } from "./wait.ts";
import { answerWhole } from "./whole.ts";

/**
 * POST /v1/embeddings. All inputs of a call are one job: one reservation, one idempotency key, one id, nothing to put
 * together and nothing half done; a device reads one after the other in any case.
 */
export async function embeddings(ctx: ActionCtx, request: Request): Promise<Response> {
  const outcome = await prepare(ctx, request, parseEmbedding);
  if (outcome.kind === "refused") return errorResponse(outcome.error);
  const { prepared } = outcome;
  const work = { kind: "embedding", request: prepared.asked.request } as const;
  const giveUpAt = Date.now() + waitLimitMs;
  const asked: AskedJob = {
    apiKey: prepared.apiKey,
    jobId: await submitWork(ctx, prepared, work, false),
    giveUpAt,
    stream: false,
    kept: prepared.idempotencyKey !== null,
    promptField: "input",
  };
  try {
    const body = (result: Result): object => listBody(prepared.asked, result);
    return await answerWhole(ctx, asked, request.signal, body);
  } catch (thrown) {
    await abandon(ctx, asked);
    throw thrown;
  }
}

/** OpenAI's list of embedding objects, in the order of the inputs. */
function listBody({ model, encoding }: ParsedEmbedding, result: Result): object {
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
