import { type JobError, jobErrorCodes } from "../jobs/chat.ts";

/** Why an attempt failed, in words for the requester. They never quote the prompt. */
export const jobErrors = {
  modelMissing: {
    code: "model_unavailable",
    message: "The model's file is not on this device.",
    retryable: true,
  },
  modelCorrupt: {
    code: "model_corrupt",
    message: "The model's file on this device has the wrong hash.",
    retryable: true,
  },
  modelUnsuitable: {
    code: "model_unsuitable",
    message: "This device's llama.cpp cannot run the model for such a job.",
    retryable: true,
  },
  unsupportedRequest: {
    code: "request_unsupported",
    message: "This device's version of Gleaner does not know such a request.",
    retryable: true,
  },
  contextTooSmall: {
    code: "context_too_small",
    message: "This device has too little free memory for the request's prompt and answer.",
    retryable: true,
  },
  invalidGrammar: {
    code: "invalid_grammar",
    message: "llama.cpp cannot enforce this schema or grammar.",
    retryable: false,
  },
  schemaNotMet: {
    code: "schema_not_met",
    message:
      "The model wrote three answers, and each broke a rule of the schema that no grammar can enforce, such as a bound or a pattern. Say the rules in the prompt, simplify the schema, or use another model.",
    retryable: false,
  },
  wrongDimensions: {
    code: "wrong_dimensions",
    message: "The model's vectors have another length, and they cannot be shortened. Leave dimensions out.",
    retryable: false,
  },
  wrongTokens: {
    code: "wrong_tokens",
    message:
      "These ids of tokens are another model's: this model has no such tokens, or writes their text with other ones. Get the ids from /v1/tokenize, or send text (LangChain: check_embedding_ctx_length=False).",
    retryable: false,
  },
  resultTooLarge: {
    code: "result_too_large",
    message: "The result of this request is too large for one job. Send fewer inputs at once.",
    retryable: false,
  },
  outOfMemory: {
    code: "out_of_memory",
    message: "This device has too little free memory for the model.",
    retryable: true,
  },
  crashed: { code: "runner_crashed", message: "The runner ended unexpectedly.", retryable: true },
  requestCrashed: {
    code: "request_crashed",
    message:
      "This request made the model's program stop. Such a request is tried only twice. Simplify its schema or grammar, or shorten its prompt.",
    retryable: true,
  },
  requestTimeout: {
    code: "request_timeout",
    message:
      "This request kept the model's program busy for too long. Such a request is tried only twice. Simplify its schema or grammar, or shorten its prompt.",
    retryable: true,
  },
  silent: { code: "runner_timeout", message: "The runner stopped answering.", retryable: true },
} as const satisfies Record<string, JobError>;

export function contextExceeded(promptTokens: number, contextTokens: number): JobError {
  return {
    code: "context_length_exceeded",
    message: `This model's context holds ${contextTokens} tokens. The input takes ${promptTokens} and leaves no room for an answer.`,
    retryable: false,
  };
}

/** Reports only the name of the error's class. `during` is a step of the runner. */
export function internalError(during: string, error: unknown): JobError {
  const name = error instanceof Error ? error.name : typeof error;
  return { code: "internal_error", message: `The runner failed while ${during} (${name}).`, retryable: true };
}

type ReportedError = { readonly code: string; readonly message: string };

const internal: ReportedError = { code: "internal_error", message: "A device failed at this job." };

/** The sentence for each code that a device reports. The sentence of `contextExceeded` has numbers, too. */
const reported: ReadonlyMap<string, ReportedError> = new Map(
  [
    ...jobErrorCodes.map((code) => Object.values(jobErrors).find((error) => error.code === code) ?? internal),
    { code: "context_length_exceeded", message: "The input is too long for this model's context." },
    // From the worker library, when the backend refused an answer.
    { code: "result_refused", message: "The backend refused the device's answer." },
  ].map(({ code, message }) => [code, { code, message }]),
);

/**
 * The error that requesters, admins and donors read when a device reports one. A device may send any text, so the sentence
 * is ours. Only the two numbers of `contextExceeded` are the device's. An unknown code becomes internal_error.
 */
export function reportedError({ code, message }: ReportedError): ReportedError {
  const known = reported.get(code) ?? internal;
  if (known.code !== "context_length_exceeded") return known;
  const exact = contextOf(message);
  return exact?.message === message ? { code, message } : known;
}

/**
 * The sentence of an error that the backend tells, in the language of this page. The sentence of an error of another version stays as it is.
 */
export function jobErrorWords({ code, message }: ReportedError): string {
  const known = reported.get(code);
  if (known === undefined) return message;
  return (code === "context_length_exceeded" ? contextOf(message) : null)?.message ?? known.message;
}

/** The error with the two numbers of a message. Null: it has not both. */
function contextOf(message: string): JobError | null {
  const [contextTokens, promptTokens] = message.match(/\d{1,8}/g) ?? [];
  if (contextTokens === undefined || promptTokens === undefined) return null;
  return contextExceeded(Number(promptTokens), Number(contextTokens));
}
