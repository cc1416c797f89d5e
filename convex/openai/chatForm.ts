import type { FinishReason, ToolCall } from "../../app/jobs/chat.ts";
import type { TokenChoice } from "../../app/jobs/sampling.ts";
import { type AnswerHead, headBody, type TextForm, type TextResult, usageBody } from "./answerForm.ts";
import type { CallPart } from "./continueAnswer.ts";

/** OpenAI's chat.completion and chat.completion.chunk objects. */
export const chatForm: TextForm = {
  whole: wholeBody,
  opening: (head) => chunkBody(head, { role: "assistant", content: "" }, null),
  text: (head, { text, logprobs }) => chunkBody(head, { content: text }, null, logprobs),
  call: (head, part) => chunkBody(head, { tool_calls: [partBody(part)] }, null),
  closing: (head, finishReason) => chunkBody(head, {}, finishReason),
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
  delta: object,
  finishReason: FinishReason | null,
  logprobs: readonly TokenChoice[] = [],
): object {
  return {
    ...chunkHead(head),
    choices: [
      {
        index: 0,
        delta,
        logprobs: logprobs.length === 0 ? null : logprobsBody(logprobs),
        finish_reason: finishReason,
      },
    ],
  };
}

/** As in OpenAI's API, only the first part of a call names it. */
function partBody({ index, isFirst, ...part }: CallPart): object {
  return isFirst ? { index, ...callBody(part) } : { index, function: { arguments: part.arguments } };
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
