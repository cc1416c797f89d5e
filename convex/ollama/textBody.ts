import type { FinishReason } from "../../app/jobs/chat.ts";
import type { ParsedLoad } from "../../app/jobs/parse/ollama/ollama-load.ts";
import type { TokenChoice } from "../../app/jobs/sampling.ts";
import { parseJson, recordOf } from "../../app/json.ts";
import type { AnswerHead, TextResult } from "../openai/answerForm.ts";
import { tokenBody } from "../openai/chatForm.ts";
import type { StreamForm } from "../openai/eventStream.ts";
import { type ApiError, costBody, ownField } from "../openai/respond.ts";
import type { TextEvents } from "../openai/stream.ts";
import type { Opinion } from "../openai/votes/decide.ts";
import { ollamaError } from "./endpoint.ts";

/** The type of a streamed answer: one JSON object a line. */
export const linesType = "application/x-ndjson";

/** The call that asked for a text. Their answers differ in the place of the text. */
export type TextCall = "chat" | "generate";

type Spoken = {
  readonly text: string;
  readonly toolCalls?: readonly object[];
  readonly logprobs?: readonly TokenChoice[];
};

/** A part of an answer, or its end. @param at when it was there, in ms since the epoch. */
function partBody(
  call: TextCall,
  { model }: Pick<AnswerHead, "model">,
  { text, toolCalls, logprobs = [] }: Spoken,
  done: boolean,
  at = Date.now(),
): object {
  const calls = toolCalls === undefined ? {} : { tool_calls: toolCalls };
  const said =
    call === "chat" ? { message: { role: "assistant", content: text, ...calls } } : { response: text };
  const choices = logprobs.length === 0 ? {} : { logprobs: logprobs.map(choiceBody) };
  return { model, created_at: new Date(at).toISOString(), ...said, ...choices, done };
}

/** The answer of a call that only loads or unloads a model. */
export function loadedBody(call: TextCall, model: string, loads: ParsedLoad["loads"]): object {
  return { ...partBody(call, { model }, { text: "" }, true), done_reason: loads };
}

/**
 * A whole answer.
 * @param opinion of its votes; null without any.
 * @param at when it was there, in ms since the epoch.
 */
export function wholeBody(
  call: TextCall,
  head: AnswerHead,
  result: TextResult,
  opinion: Opinion | null = null,
  at = Date.now(),
): object {
  return {
    ...partBody(call, head, spokenIn(result), true, at),
    ...endFields(head, result, at),
    ...ownField(opinion),
  };
}

function spokenIn({ text, toolCalls = [], logprobs = [] }: TextResult): Spoken {
  if (toolCalls.length === 0) return { text, logprobs };
  return {
    text,
    logprobs,
    // A call that the bound of tokens cut has no whole arguments.
    toolCalls: toolCalls.map(({ id, name, arguments: json }, index) => ({
      id,
      function: { index, name, arguments: recordOf(parseJson(json)) },
    })),
  };
}

const doneReasons: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "stop",
};

/** Durations are nanoseconds. How long a device took to load the model is not known, so `load_duration` is left out. */
function endFields(
  { created }: AnswerHead,
  { finishReason, usage, timing }: TextResult,
  at = Date.now(),
): object {
  const { promptTokens, cachedPromptTokens = 0, completionTokens } = usage;
  return {
    done_reason: doneReasons[finishReason],
    total_duration: nanoseconds(at - created),
    prompt_eval_count: promptTokens,
    prompt_eval_cached_count: cachedPromptTokens,
    prompt_eval_duration: nanoseconds(timing.prefillMs),
    eval_count: completionTokens,
    eval_duration: nanoseconds(timing.generateMs),
  };
}

export function nanoseconds(ms: number): number {
  return Math.round(ms * 1e6);
}

function choiceBody({ top, ...chosen }: TokenChoice): object {
  return { ...tokenBody(chosen), top_logprobs: top.map(tokenBody) };
}

/**
 * The lines of a streamed answer. A line with an empty text keeps the connection alive.
 * @param opinion of its votes; null without any.
 */
export function textLines(
  call: TextCall,
  head: AnswerHead,
  opinion: Opinion | null = null,
): TextEvents & { readonly form: StreamForm } {
  const partLine = (spoken: Spoken): string => JSON.stringify(partBody(call, head, spoken, false));
  return {
    form: { contentType: linesType, end: "\n", keepAlive: () => partLine({ text: "" }) },
    opening: () => [],
    text: (piece, logprobs) => [partLine({ text: piece, logprobs })],
    // The arguments of a call are an object here, so each comes in one piece, at the end.
    call: () => [],
    closing: (result, cost) => {
      const { toolCalls } = spokenIn(result);
      const end = {
        ...partBody(call, head, { text: "" }, true),
        ...endFields(head, result),
        ...ownField(opinion, costBody(head, cost)),
      };
      return [...(toolCalls === undefined ? [] : [partLine({ text: "", toolCalls })]), JSON.stringify(end)];
    },
    error: (error: ApiError) => [JSON.stringify(ollamaError(error))],
  };
}
