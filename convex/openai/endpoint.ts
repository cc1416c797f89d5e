import { type ActionCtx, httpAction } from "../_generated/server.js";
import { errorResponse, fromRefusal, internalError, type PromptField } from "./errors.ts";
import { logBug } from "./outcome.ts";

/** An HTTP action that answers every refusal, and every bug, in OpenAI's shape. */
export function openaiAction(
  answer: (ctx: ActionCtx, request: Request) => Promise<Response>,
  promptField: PromptField = "messages",
) {
  return httpAction(async (ctx: ActionCtx, request) => {
    try {
      return await answer(ctx, request);
    } catch (thrown) {
      const refusal = fromRefusal(thrown, promptField);
      if (refusal === null) logBug("a request failed", thrown);
      return errorResponse(refusal ?? internalError);
    }
  });
}
