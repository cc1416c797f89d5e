import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import { errorResponse, fromRefusal, missingKey } from "./errors.ts";
import { logBug } from "./outcome.ts";
import { bearerKey } from "./readRequest.ts";

type Answer = (ctx: ActionCtx, request: Request) => Promise<Response>;

/** Answers only callers with a key that does not call too often. */
export function admitted(answer: Answer): Answer {
  return async (ctx, request) => {
    const apiKey = bearerKey(request);
    if (apiKey === null) return errorResponse(missingKey);
    await count(ctx, apiKey);
    return await answer(ctx, request);
  };
}

/** Lets a call through that could not be counted: what it asks for checks its key again. */
async function count(ctx: ActionCtx, apiKey: string): Promise<void> {
  try {
    await ctx.runMutation(internal.requests.admitCall, { apiKey });
  } catch (thrown) {
    if (fromRefusal(thrown) !== null) throw thrown;
    logBug("a call was let through uncounted", thrown);
  }
}
