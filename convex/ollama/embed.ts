import { parseOllamaEmbed, parseOllamaEmbeddings } from "../../app/jobs/parse/ollama/ollama-models.ts";
import type { ActionCtx } from "../_generated/server.js";
import { readVector } from "../model/requests/answer.ts";
import { answerVectors } from "../openai/embeddings/embeddings.ts";
import { numberBytes } from "../openai/embeddings/parts.ts";
import type { Caller } from "../openai/endpoint.ts";
import { answerRead } from "./endpoint.ts";
import { nanoseconds } from "./textBody.ts";

/** An answer has its vectors as numbers. */
const size = { bytesOfNumber: numberBytes.float, remedy: "Send fewer inputs." };

/** POST /api/embed. */
export async function embed(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const begun = Date.now();
  return await answerRead(request, caller, parseOllamaEmbed, async (call) => {
    return await answerVectors(ctx, request.signal, caller, call, {
      ...size,
      promptField: "input",
      body: ({ embeddings: vectors, usage }, model) => ({
        model,
        embeddings: vectors.map(readVector),
        total_duration: nanoseconds(Date.now() - begun),
        prompt_eval_count: usage.promptTokens,
      }),
    });
  });
}

/** POST /api/embeddings, the older call for one text. */
export async function embeddings(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  return await answerRead(request, caller, parseOllamaEmbeddings, async (call) => {
    return await answerVectors(ctx, request.signal, caller, call, {
      ...size,
      promptField: "prompt",
      body: ({ embeddings: [vector] }) => ({ embedding: vector === undefined ? [] : readVector(vector) }),
    });
  });
}
