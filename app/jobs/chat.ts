/** A chat job's payload, as the runner gets it: already parsed, bounded and with every default filled in. */
export type ChatRequest = {
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number;
  /** Chosen at submission when the requester gave none, so that a retry gives the same text. */
  readonly seed: number;
  readonly stop: readonly string[];
};

export type ChatMessage = { readonly role: "system" | "user" | "assistant"; readonly content: string };

export type FinishReason = "stop" | "length";

/** True token counts of the model's own tokenizer, the chat template's tokens included. */
export type Usage = { readonly promptTokens: number; readonly completionTokens: number };

export type ChatResult = {
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** Milliseconds on the device: prompt evaluation and generation. */
  readonly timing: { readonly prefillMs: number; readonly generateMs: number };
};

/** Why an attempt failed. `retryable` errors may succeed on another device or later. */
export type JobErrorCode =
  | "context_length_exceeded"
  | "model_unavailable"
  | "model_corrupt"
  | "runner_crashed"
  | "runner_timeout"
  | "out_of_memory"
  | "internal_error";

export type JobError = { readonly code: JobErrorCode; readonly message: string; readonly retryable: boolean };
