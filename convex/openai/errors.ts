import { ConvexError } from "convex/values";
import type { BodyRefusal } from "../../app/jobs/parse-body.ts";
import type { Refusal, RefusalCode } from "../model/refuse.ts";
import { json } from "./respond.ts";

/** OpenAI's error object, and the status that it comes with. */
export type ApiError = {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly param?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Where a call has what a model is to read: what is too long names it. */
export type PromptField = "messages" | "prompt" | "input";

/** Tells OpenAI's clients, which retry 409, 429 and 5xx by themselves, that asking again changes nothing. */
const noRetry = { "x-should-retry": "false" };

export function errorBody({ message, type, code, param = null }: ApiError): object {
  return { error: { message, type, param, code } };
}

export function errorResponse(error: ApiError): Response {
  return json(error.status, errorBody(error), error.headers);
}

export const missingKey: ApiError = {
  status: 401,
  type: "invalid_request_error",
  code: "invalid_api_key",
  message: "You did not provide an API key. Send it as a header: Authorization: Bearer sk-gleaner-…",
};

export function unknownModel(model: string): ApiError {
  return {
    status: 404,
    type: "invalid_request_error",
    code: "model_not_found",
    param: "model",
    message: `The model '${model.slice(0, 200)}' does not exist, or your organization does not offer it.`,
  };
}

export function fromParse({ status, code, param, message }: BodyRefusal): ApiError {
  return { status, type: "invalid_request_error", code, param, message };
}

/** A refusal of our own functions as OpenAI would word it; null for anything else, which is a bug. */
export function fromRefusal(thrown: unknown, promptField: PromptField = "messages"): ApiError | null {
  const refusal = refusalOf(thrown);
  if (refusal === null) return null;
  const known = { ...refusals[refusal.code], ...(isOfPrompt(refusal.code) ? { param: promptField } : {}) };
  const { message, retryAfterMs } = refusal;
  if (retryAfterMs === undefined) return { type: "invalid_request_error", message, ...known };
  const headers = { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
  return { type: "invalid_request_error", message, ...known, headers };
}

const refusals: Readonly<
  Record<RefusalCode, Omit<ApiError, "type" | "message"> & { readonly type?: string }>
> = {
  unauthorized: { status: 401, code: "invalid_api_key" },
  revoked: { status: 401, code: "invalid_api_key" },
  not_found: { status: 404, code: "not_found" },
  invalid: { status: 400, code: "invalid_value" },
  too_large: { status: 413, code: "request_too_large" },
  context_length_exceeded: { status: 400, code: "context_length_exceeded" },
  model_not_found: { status: 404, code: "model_not_found", param: "model" },
  quota_exceeded: {
    status: 429,
    code: "insufficient_quota",
    type: "insufficient_quota",
    headers: noRetry,
  },
  conflict: { status: 409, code: "idempotency_conflict", headers: noRetry },
  rate_limited: { status: 429, code: "rate_limit_exceeded", type: "requests" },
  queue_full: { status: 429, code: "queue_full", type: "requests" },
  draining: { status: 503, code: "model_draining", type: "server_error" },
};

function isOfPrompt(code: string | undefined): boolean {
  return code === "too_large" || code === "context_length_exceeded" || code === "result_too_large";
}

/** A ConvexError's data may arrive as the JSON of it, depending on how the call crossed to us. */
function refusalOf(thrown: unknown): Refusal | null {
  if (!(thrown instanceof ConvexError)) return null;
  const raw: unknown = thrown.data;
  const data: unknown = typeof raw === "string" ? JSON.parse(raw) : raw;
  if (typeof data !== "object" || data === null || !("code" in data) || !("message" in data)) return null;
  return data as Refusal;
}

/** A job that ended without an answer. It has been retried as often as it is worth. */
export function fromJob(
  status: "failed" | "canceled" | "expired",
  error: { code: string; message: string } | null,
  promptField: PromptField,
): ApiError {
  if (status === "canceled") {
    return {
      status: 409,
      type: "server_error",
      code: "job_canceled",
      message: "The job was canceled.",
      headers: noRetry,
    };
  }
  if (status === "expired") {
    return {
      status: 504,
      type: "server_error",
      code: "job_expired",
      message: "The job was not done by the time that was set for it.",
      headers: noRetry,
    };
  }
  const ofGrammar = error?.code === "invalid_grammar";
  if (error !== null && (ofGrammar || isOfPrompt(error.code))) {
    return {
      status: 400,
      type: "invalid_request_error",
      code: error.code,
      param: ofGrammar ? "response_format" : promptField,
      message: error.message,
    };
  }
  return {
    status: 500,
    type: "server_error",
    code: error?.code ?? "internal_error",
    message: error?.message ?? "The job failed.",
    headers: noRetry,
  };
}

export const resultExpired: ApiError = {
  status: 410,
  type: "invalid_request_error",
  code: "result_expired",
  message: "The answer to this idempotency key's request is not kept any more.",
  headers: noRetry,
};

/** @param kept whether the job goes on, so that the same idempotency key will find it. */
export function waitIsOver(jobId: string, kept: boolean): ApiError {
  return {
    status: 503,
    type: "server_error",
    code: "no_capacity",
    message: kept
      ? `No device has answered job ${jobId} yet. Ask again with the same Idempotency-Key to go on waiting.`
      : `No device was free in time for job ${jobId}, so it was canceled. Ask again later.`,
    headers: { "retry-after": "30" },
  };
}

export const diverged: ApiError = {
  status: 500,
  type: "server_error",
  code: "attempt_diverged",
  message: "Another device took over and its text differs from what was already sent. Ask again.",
};

export const internalError: ApiError = {
  status: 500,
  type: "server_error",
  code: "internal_error",
  message: "Something went wrong on our side.",
};
