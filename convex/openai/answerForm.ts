import { unixSeconds } from "../../app/batches/openai-objects.ts";
import type { ChatResult, FinishReason, Usage } from "../../app/jobs/chat.ts";
import type { JobPriority } from "../../app/jobs/priority.ts";
import type { TokenChoice } from "../../app/jobs/sampling.ts";
import type { Submitted } from "../model/requests/submission.ts";
import type { RequestView } from "../model/requests/watch.ts";
import type { CallPart } from "./continueAnswer.ts";

/** OpenAI's names for the priorities of jobs. */
export const serviceTiers = {
  low: "flex",
  normal: "default",
  high: "priority",
} as const satisfies Record<JobPriority, string>;

/** The fields that all bodies of a job share. `created`: milliseconds since the epoch. */
export type AnswerHead = {
  readonly jobId: string;
  readonly created: number;
  readonly model: string;
  readonly sha256: string;
  readonly priority: JobPriority;
};

/** The head of the answer to a call that began at `created`. */
export function headOf(
  { jobId, modelId: model, sha256, priority }: Pick<Submitted, "jobId" | "modelId" | "sha256" | "priority">,
  created: number,
): AnswerHead {
  return { jobId, created, model, sha256, priority };
}

export type TextResult = ChatResult;

type VectorResult = Extract<NonNullable<RequestView["result"]>, { readonly embeddings: unknown }>;

/** The result of a job that asked for vectors. */
export function vectorsOf(result: NonNullable<RequestView["result"]>): VectorResult {
  if (!("embeddings" in result)) throw new Error("an embedding job has text");
  return result;
}

type JobTokens = Extract<NonNullable<RequestView["result"]>, { readonly tokens: unknown }>["tokens"];

/** The result of a job that asked for tokens. */
export function tokensOf(result: NonNullable<RequestView["result"]>): JobTokens {
  if (!("tokens" in result)) throw new Error("a job for tokens has another answer");
  return result.tokens;
}

/** The result of a job that asked for text. */
export function textOf(result: NonNullable<RequestView["result"]>): TextResult {
  if ("text" in result) return result;
  throw new Error("a text job has vectors");
}

/** `logprobs`: those of the piece's tokens, if they are known yet. `offset`: the code points of the tokens before them. */
export type TextPiece = {
  readonly text: string;
  readonly logprobs: readonly TokenChoice[];
  readonly offset: number;
};

/** The bodies in which one of OpenAI's calls answers with text, whole or streamed. */
export type TextForm = {
  readonly whole: (head: AnswerHead, result: TextResult) => object;
  /** Sent before any text; null: nothing. */
  readonly opening: (head: AnswerHead) => object | null;
  /** A piece of the text. */
  readonly text: (head: AnswerHead, piece: TextPiece) => object;
  /** A part of a tool call; null: this call has none. */
  readonly call: (head: AnswerHead, part: CallPart) => object | null;
  /** Sent at the end: the finish reason. */
  readonly closing: (head: AnswerHead, finishReason: FinishReason) => object;
  /** Sent last, if `stream_options.include_usage` asks for it. */
  readonly usage: (head: AnswerHead, usage: Usage) => object;
};

export function headBody(
  { jobId, created, model, sha256, priority }: AnswerHead,
  prefix: "chatcmpl" | "cmpl",
  object: string,
): object {
  return {
    id: `${prefix}-${jobId}`,
    object,
    created: unixSeconds(created),
    model,
    service_tier: serviceTiers[priority],
    system_fingerprint: `fp_${sha256.slice(0, 12)}`,
  };
}

export function usageBody({ promptTokens, completionTokens, cachedPromptTokens = 0 }: Usage): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedPromptTokens },
  };
}

/** The length of a text in Unicode code points. */
export function codePoints(text: string): number {
  return Array.from(text).length;
}

/** The usage of several jobs for one answer. Each has read the prompt. */
export function totalUsage(all: readonly Usage[]): Usage {
  const sum = (of: (usage: Usage) => number): number => all.reduce((total, usage) => total + of(usage), 0);
  return {
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    cachedPromptTokens: sum(({ cachedPromptTokens = 0 }) => cachedPromptTokens),
  };
}
