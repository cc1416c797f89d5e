import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import { errorResponse, missingKey } from "./errors.ts";
import { bearerKey } from "./read-request.ts";

type Answer = (ctx: ActionCtx, request: Request) => Promise<Response>;

/** Answers only callers with a key that does not call too often. */
export function admitted(answer: Answer): Answer {
  return async (ctx, request) => {
    const apiKey = bearerKey(request);
    if (apiKey === null) return errorResponse(missingKey);
    await ctx.runMutation(internal.requests.admitCall, { apiKey });
    return await answer(ctx, request);
  };
}
