import { parseOllamaEmbed, parseOllamaEmbeddings } from "../../app/jobs/parse/ollama/ollama-models.ts";
import { numberBytes, remedies } from "../../app/jobs/vectors/room.ts";
import type { ActionCtx } from "../_generated/server.js";
import { answerVectors } from "../openai/embeddings/embeddings.ts";
import type { Caller } from "../openai/endpoint.ts";
import { answerRead } from "./endpoint.ts";
import { embedBody, embeddingBody } from "./vectorsBody.ts";

/** An answer has its vectors as numbers. */
const size = { bytesOfNumber: numberBytes.float, remedy: remedies.inputs };

/** POST /api/embed. */
export async function embed(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const begun = Date.now();
  return await answerRead(request, caller, parseOllamaEmbed, async (call) => {
    return await answerVectors(ctx, request.signal, caller, call, {
      ...size,
      callForm: "ollama-embed",
      promptField: "input",
      body: (vectors, model) => embedBody(model, vectors, Date.now() - begun),
    });
  });
}

/** POST /api/embeddings, the older call for one text. */
export async function embeddings(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  return await answerRead(request, caller, parseOllamaEmbeddings, async (call) => {
    return await answerVectors(ctx, request.signal, caller, call, {
      ...size,
      callForm: "ollama-embeddings",
      promptField: "prompt",
      body: embeddingBody,
    });
  });
}
