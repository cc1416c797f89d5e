import { parseTokenize } from "../../../app/jobs/parse/parse-tokens.ts";
import { unpackIds } from "../../../app/jobs/payload/token-ids.ts";
import type { ActionCtx } from "../../_generated/server.js";
import { tokensOf } from "../answerForm.ts";
import type { Caller } from "../endpoint.ts";
import { answerWhole } from "../follow.ts";
import { readCall } from "../readCall.ts";
import { answerWithJob } from "../requestedJob.ts";
import { errorResponse } from "../respond.ts";

/** POST /v1/tokenize. A device tokenizes, since only devices have the models' tokenizers. */
export async function tokenize(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const read = await readCall(request, caller, parseTokenize);
  if (read.kind === "refused") return errorResponse(read.error);
  const { call } = read;
  const { request: asked } = call.asked;
  const options = {
    work: { kind: "tokens", request: asked },
    stream: false,
    promptField: "tokenizeChat" in asked ? "messages" : "prompt",
  } as const;
  return await answerWithJob(ctx, caller, call, options, async (job) => {
    return await answerWhole(ctx, job, request.signal, (result) =>
      tokensBody(tokensOf(result), call.model.contextTokens),
    );
  });
}

/** The answer in the form of vLLM's. @param contextTokens of the model in the catalog. */
export function tokensBody(result: ReturnType<typeof tokensOf>, contextTokens: number): object {
  const tokens = unpackIds(result);
  return { count: tokens.length, max_model_len: contextTokens, tokens };
}
