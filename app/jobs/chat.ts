import type { Sampling, TokenChoice } from "./sampling.ts";

/** A chat job's payload, as the runner gets it: already parsed, bounded and with every default filled in. */
export type ChatRequest = Sampling & {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[];
  /** "auto" unless said, where there are tools. */
  readonly toolChoice?: ToolChoice;
};

/** `toolCalls` only from the assistant; `toolCallId` only from a tool: the call that it answers. */
export type ChatMessage = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
};

/** What the model may call. `parameters`: a JSON schema of an object, as text; left out: it takes none. */
export type ChatTool = {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: string;
};

/** `{ name }`: this tool and no other. */
export type ToolChoice = "none" | "auto" | "required" | { readonly name: string };

/** `arguments`: JSON, as the model wrote it. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

export type FinishReason = "stop" | "length" | "tool_calls";

/**
 * True token counts of the model's own tokenizer, the chat template's tokens included. `cachedPromptTokens`: how many
 * of the prompt's were still in the device's memory and had not to be read again.
 */
export type Usage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedPromptTokens?: number;
};

/** The answer to a chat, or what continues a text. */
export type ChatResult = {
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly toolCalls?: readonly ToolCall[];
  /** By token of the answer, where they were asked for. */
  readonly logprobs?: readonly TokenChoice[];
  readonly usage: Usage;
  /** Milliseconds on the device: until the first token, and from then on. Without rests for its person's sake. */
  readonly timing: { readonly prefillMs: number; readonly generateMs: number };
};

/** Why an attempt failed. `retryable` errors may succeed on another device or later. */
export type JobErrorCode =
  | "context_length_exceeded"
  | "invalid_grammar"
  | "result_too_large"
  | "model_unavailable"
  | "model_corrupt"
  | "model_unsuitable"
  | "runner_crashed"
  | "runner_timeout"
  | "out_of_memory"
  | "internal_error";

export type JobError = { readonly code: JobErrorCode; readonly message: string; readonly retryable: boolean };
