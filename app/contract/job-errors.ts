import type { JobError } from "../jobs/chat.ts";

/** An attempt's failures in words that a requester may read: never with anything of the prompt in them. */
export const jobErrors = {
  modelMissing: {
    code: "model_unavailable",
    message: "The model's file is not on this device.",
    retryable: true,
  },
  modelCorrupt: {
    code: "model_corrupt",
    message: "The model's file on this device is not the one that it should be.",
    retryable: true,
  },
  modelUnsuitable: {
    code: "model_unsuitable",
    message: "The model's file is nothing that this device's llama.cpp can run for such a job.",
    retryable: true,
  },
  invalidGrammar: {
    code: "invalid_grammar",
    message: "llama.cpp cannot hold an answer to this schema or grammar.",
    retryable: false,
  },
  resultTooLarge: {
    code: "result_too_large",
    message: "The vectors of so many inputs are too large for one job: ask for fewer at once.",
    retryable: false,
  },
  outOfMemory: {
    code: "out_of_memory",
    message: "This device has too little free memory for the model.",
    retryable: true,
  },
  crashed: { code: "runner_crashed", message: "The runner ended unexpectedly.", retryable: true },
  silent: { code: "runner_timeout", message: "The runner stopped answering.", retryable: true },
} as const satisfies Record<string, JobError>;

export function contextExceeded(promptTokens: number, contextTokens: number): JobError {
  return {
    code: "context_length_exceeded",
    message:
      `This model's context holds ${contextTokens} tokens, ` +
      `but what there is to read takes ${promptTokens} and leaves no room for an answer.`,
    retryable: false,
  };
}

/** `during` names a step of ours; `error` only lends its class's name. */
export function internalError(during: string, error: unknown): JobError {
  const name = error instanceof Error ? error.name : typeof error;
  return { code: "internal_error", message: `The runner failed while ${during} (${name}).`, retryable: true };
}
