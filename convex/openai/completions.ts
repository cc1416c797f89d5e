import type { CompletionRequest } from "../../app/jobs/completion.ts";
import { parseCompletion } from "../../app/jobs/parse-completion.ts";
import type { ActionCtx } from "../_generated/server.js";
import { completionForm } from "./completionForm.ts";
import { answerText, type TextCall } from "./textCalls.ts";

const call: TextCall<CompletionRequest> = {
  promptField: "prompt",
  parse: parseCompletion,
  workOf: (request) => ({ kind: "completion", request }),
  form: completionForm,
};

/** POST /v1/completions. */
export async function completions(ctx: ActionCtx, request: Request): Promise<Response> {
  return await answerText(ctx, request, call);
}
