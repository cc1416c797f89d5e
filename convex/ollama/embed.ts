import { parseOllamaEmbed, parseOllamaEmbeddings } from "../../app/jobs/parse/ollama/ollama-models.ts";
import type { ParsedEmbedding } from "../../app/jobs/parse/parse-embedding.ts";
import type { ActionCtx } from "../_generated/server.js";
import { readVector } from "../model/requests/answer.ts";
import { vectorsOf } from "../openai/answerForm.ts";
import type { Caller } from "../openai/endpoint.ts";
import type { PromptField } from "../openai/errors.ts";
import { answerWhole } from "../openai/follow.ts";
import type { Call } from "../openai/readCall.ts";
import { answerWithJob } from "../openai/requestedJob.ts";
import { answerRead } from "./endpoint.ts";
import { nanoseconds } from "./textBody.ts";

/** POST /api/embed. */
export async function embed(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const begun = Date.now();
  return await answerRead(request, caller, parseOllamaEmbed, async (call) => {
    return await answerVectors(ctx, request, caller, call, "input", (vectors, promptTokens) => ({
      model: call.model.modelId,
      embeddings: vectors,
      total_duration: nanoseconds(Date.now() - begun),
      prompt_eval_count: promptTokens,
    }));
  });
}

/** POST /api/embeddings, the older call for one text. */
export async function embeddings(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  return await answerRead(request, caller, parseOllamaEmbeddings, async (call) => {
    return await answerVectors(ctx, request, caller, call, "prompt", ([vector]) => ({
      embedding: vector ?? [],
    }));
  });
}

type Vectors = readonly ReturnType<typeof readVector>[];

async function answerVectors(
  ctx: ActionCtx,
  request: Request,
  caller: Caller,
  call: Call<ParsedEmbedding>,
  promptField: PromptField,
  body: (vectors: Vectors, promptTokens: number) => object,
): Promise<Response> {
  const work = { kind: "embedding", request: call.asked.request } as const;
  return await answerWithJob(ctx, caller, call, { work, stream: false, promptField }, async (job) => {
    return await answerWhole(ctx, job, request.signal, (result) => {
      const { embeddings: packed, usage } = vectorsOf(result);
      return body(packed.map(readVector), usage.promptTokens);
    });
  });
}
