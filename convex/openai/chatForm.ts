import type { FinishReason, ToolCall } from "../../app/jobs/chat.ts";
import type { TokenChoice } from "../../app/jobs/sampling.ts";
import { type AnswerHead, headBody, type TextForm, type TextResult, usageBody } from "./answerForm.ts";

/** OpenAI's chat.completion and chat.completion.chunk objects. */
export const chatForm: TextForm = {
  whole: wholeBody,
  opening: (head) => chunkBody(head, { role: "assistant", content: "" }, null),
  text: (head, text) => chunkBody(head, { content: text }, null),
  closing: (head, { toolCalls, logprobs, finishReason }) => [
    ...(toolCalls === undefined ? [] : [chunkBody(head, { toolCalls }, null)]),
    ...(logprobs === undefined ? [] : [chunkBody(head, { content: "", logprobs }, null)]),
    chunkBody(head, {}, finishReason),
  ],
  usage: (head, usage) => ({ ...chunkHead(head), choices: [], usage: usageBody(usage) }),
};

function wholeBody(head: AnswerHead, result: TextResult): object {
  const { text, toolCalls = [], logprobs, finishReason } = result;
  const calls = toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(callBody) };
  return {
    ...headBody(head, "chatcmpl", "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: toolCalls.length > 0 && text === "" ? null : text,
          refusal: null,
          ...calls,
        },
        logprobs: logprobs === undefined ? null : logprobsBody(logprobs),
        finish_reason: finishReason,
      },
    ],
    usage: usageBody(result.usage),
  };
}

function chunkBody(
  head: AnswerHead,
  delta: {
    readonly role?: "assistant";
    readonly content?: string;
    readonly toolCalls?: readonly ToolCall[];
    readonly logprobs?: readonly TokenChoice[];
  },
  finishReason: FinishReason | null,
): object {
  const { toolCalls, logprobs, ...content } = delta;
  const calls = toolCalls?.map((call, index) => ({ index, ...callBody(call) }));
  return {
    ...chunkHead(head),
    choices: [
      {
        index: 0,
        delta: calls === undefined ? content : { ...content, tool_calls: calls },
        logprobs: logprobs === undefined ? null : logprobsBody(logprobs),
        finish_reason: finishReason,
      },
    ],
  };
}

function chunkHead(head: AnswerHead): object {
  return headBody(head, "chatcmpl", "chat.completion.chunk");
}

function callBody({ id, name, arguments: json }: ToolCall): object {
  return { id, type: "function", function: { name, arguments: json } };
}

function logprobsBody(choices: readonly TokenChoice[]): object {
  return {
    content: choices.map(({ top, ...chosen }) => ({
      ...tokenBody(chosen),
      top_logprobs: top.map(tokenBody),
    })),
    refusal: null,
  };
}

export function tokenBody({ token, logprob }: Omit<TokenChoice, "top">): object {
  return { token, logprob, bytes: [...new TextEncoder().encode(token)] };
}
