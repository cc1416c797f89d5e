import { limits } from "./limits.ts";
import type { Sampling, TokenChoice } from "./sampling.ts";

/** A chat job's payload, as the runner gets it: already parsed, bounded and with every default filled in. */
export type ChatRequest = Sampling & {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[];
  /** Defaults to "auto" if there are tools. */
  readonly toolChoice?: ToolChoice;
  /** False: an answer has one call at most. */
  readonly parallelToolCalls?: boolean;
};

/** Only the assistant has `toolCalls`. Only a tool has `toolCallId`, the call that it answers. */
export type ChatMessage = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
};

/**
 * A function that the model may call. `parameters` is the JSON schema of an object, as text. If absent, the function
 * takes no parameters.
 */
export type ChatTool = {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: string;
};

/** `{ name }` forces this one tool. */
export type ToolChoice = "none" | "auto" | "required" | { readonly name: string };

/** The tools that the answer may call. */
export function callableTools({
  tools = [],
  toolChoice = "auto",
}: Pick<ChatRequest, "tools" | "toolChoice">): readonly ChatTool[] {
  if (toolChoice === "none") return [];
  return typeof toolChoice === "string" ? tools : tools.filter(({ name }) => name === toolChoice.name);
}

/** The most calls of one answer. */
export function mostCalls({
  parallelToolCalls = true,
  toolChoice,
}: Pick<ChatRequest, "parallelToolCalls" | "toolChoice">): number {
  return parallelToolCalls && typeof toolChoice !== "object" ? limits.toolCalls : 1;
}

/** `arguments`: JSON, as the model wrote it. Not complete in an answer that ends with "length". */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

export const finishReasons = ["stop", "length", "tool_calls"] as const;
export type FinishReason = (typeof finishReasons)[number];

/**
 * Token counts by the model's own tokenizer, including the chat template. `cachedPromptTokens` is the part of the
 * prompt that was still in the device's memory and needed no evaluation.
 */
export type Usage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedPromptTokens?: number;
};

/** The answer to a chat, or the continuation of a text. */
export type ChatResult = {
  readonly text: string;
  readonly finishReason: FinishReason;
  /** The string of the request's `stop` that ended the text. Older donors do not tell it. */
  readonly stopText?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** One entry per token of the answer, if requested. */
  readonly logprobs?: readonly TokenChoice[];
  /** The tokens that the model wrote, for those that check the answer: written-tokens.ts. Older donors do not tell them. */
  readonly written?: string;
  readonly usage: Usage;
  /** Milliseconds on the device, before and after the first token. Excludes pauses for the person at the computer. */
  readonly timing: { readonly prefillMs: number; readonly generateMs: number };
};

export const jobErrorCodes = [
  "context_length_exceeded",
  "context_too_small",
  "invalid_grammar",
  "schema_not_met",
  "wrong_dimensions",
  "wrong_tokens",
  "result_too_large",
  "model_unavailable",
  "model_corrupt",
  "model_unsuitable",
  "request_unsupported",
  "runner_crashed",
  "runner_timeout",
  "request_crashed",
  "request_timeout",
  "out_of_memory",
  "internal_error",
] as const;

/** Why an attempt failed. `retryable` errors may succeed on another device or later. */
export type JobError = {
  readonly code: (typeof jobErrorCodes)[number];
  readonly message: string;
  readonly retryable: boolean;
};
