import { extentOf } from "../../app/jobs/extent.ts";
import { parseCountTokens, parseMessages } from "../../app/jobs/parse/parse-messages.ts";
import { sizeOf } from "../../app/jobs/size.ts";
import { type ActionCtx, httpAction } from "../_generated/server.js";
import { headOf, textOf } from "../openai/answerForm.ts";
import { answerCaller, type Caller } from "../openai/endpoint.ts";
import { answerWhole } from "../openai/follow.ts";
import { readCall } from "../openai/readCall.ts";
import { answerWithJob } from "../openai/requestedJob.ts";
import { type ApiError, errorFieldsOf, errorResponse, json } from "../openai/respond.ts";
import { streamText } from "../openai/stream.ts";
import { answerVoted, chatCall, textWork } from "../openai/textCalls.ts";
import type { VotedForm } from "../openai/votes/answerVotes.ts";
import { anthropicError, messageBody, withType } from "./messageBody.ts";
import { MessageEvents } from "./messageEvents.ts";

/** The path of this API. */
const messagesPath = "/v1/messages";

/** Whether a path belongs to Anthropic's API. */
export function isAnthropicPath(path: string): boolean {
  return path === messagesPath || path.startsWith(`${messagesPath}/`);
}

/** An error in Anthropic's form, for a call that no endpoint answers. */
export function anthropicRefusal(error: ApiError): Response {
  return json(error.status, anthropicError(error), error.headers);
}

type Answer = Parameters<typeof answerCaller>[2];

/** An endpoint of Anthropic's API. Its errors have Anthropic's form. */
export function anthropicEndpoint(answer: Answer) {
  return httpAction(async (ctx: ActionCtx, request) => {
    const response = await answerCaller(ctx, request, answer);
    response.headers.set("request-id", response.headers.get("x-request-id") ?? "");
    if (response.status < 400) return response;
    const { status, headers } = response;
    return new Response(JSON.stringify(withType(status, await errorFieldsOf(response))), { status, headers });
  });
}

/** POST /v1/messages: a chat in the words of Anthropic's API. */
export async function createMessage(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const read = await readCall(request, caller, parseMessages);
  if (read.kind === "refused") return errorResponse(read.error);
  const { call } = read;
  const { stream, vote } = call.asked;
  if (vote !== null) {
    const { signal } = request;
    const options = { vote, promptField: "messages", signal, form: votedForm } as const;
    return await answerVoted(ctx, caller, call, chatCall, options);
  }
  const created = Date.now();
  const work = await textWork(chatCall, call);
  const options = { work, callForm: "message", stream, promptField: "messages" } as const;
  return await answerWithJob(ctx, caller, call, options, async (job) => {
    const head = headOf(job, created);
    if (stream) return await streamText(ctx, job, request.signal, new MessageEvents(head));
    return await answerWhole(ctx, job, request.signal, (result) => messageBody(head, textOf(result)));
  });
}

const votedForm: VotedForm = {
  callForm: "message",
  whole: messageBody,
  events: (head, opinion) => new MessageEvents(head, opinion),
};

/** POST /v1/messages/count_tokens. An estimate from the length of the texts: only devices have the models' tokenizers. */
export async function countTokens(_ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const read = await readCall(request, caller, parseCountTokens);
  if (read.kind === "refused") return errorResponse(read.error);
  const { call } = read;
  const extent = extentOf(await textWork(chatCall, call), call.model);
  return json(200, { input_tokens: sizeOf(extent).input });
}
