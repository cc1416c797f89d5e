import type { ChatRequest } from "../../app/jobs/chat.ts";
import { parseChat } from "../../app/jobs/parse-chat.ts";
import type { ActionCtx } from "../_generated/server.js";
import { chatForm } from "./chatForm.ts";
import { answerText, type TextCall } from "./textCalls.ts";

const call: TextCall<ChatRequest> = {
  promptField: "messages",
  parse: parseChat,
  workOf: (request) => ({ kind: "chat", request }),
  form: chatForm,
};

/** POST /v1/chat/completions. */
export async function chatCompletions(ctx: ActionCtx, request: Request): Promise<Response> {
  return await answerText(ctx, request, call);
}
