import type { ChatResult, Usage } from "../../app/jobs/chat.ts";

/** What every body about one job says. `created`: ms epoch. */
export type AnswerHead = {
  readonly jobId: string;
  readonly created: number;
  readonly model: string;
  readonly sha256: string;
};

export type TextResult = Omit<ChatResult, "timing">;

/** How one of OpenAI's calls words an answer of text, whole or streamed. */
export type TextForm = {
  readonly whole: (head: AnswerHead, result: TextResult) => object;
  /** Before any text; null: nothing. */
  readonly opening: (head: AnswerHead) => object | null;
  /** One step of the answer. */
  readonly text: (head: AnswerHead, text: string) => object;
  /** What a job has beside its text, which is there when it ends. */
  readonly closing: (head: AnswerHead, result: TextResult) => readonly object[];
  /** After the last, where `stream_options.include_usage` asks for it. */
  readonly usage: (head: AnswerHead, usage: Usage) => object;
};

export function headBody(
  { jobId, created, model, sha256 }: AnswerHead,
  prefix: "chatcmpl" | "cmpl",
  object: string,
): object {
  return {
    id: `${prefix}-${jobId}`,
    object,
    created: Math.floor(created / 1_000),
    model,
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
