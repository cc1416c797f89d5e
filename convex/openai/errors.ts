import { quotable } from "../../app/format/visible.ts";
import { jobTimes, limits } from "../../app/jobs/limits.ts";
import type { BodyRefusal } from "../../app/jobs/parse/parse-body.ts";
import { foreignPageWords } from "../../app/keys/origins.ts";
import { offerWords } from "../../app/models/offer.ts";
import { queryOf } from "../../app/openapi/query.ts";
import type { Refusal, RefusalCode } from "../model/refuse.ts";
import { leftMs } from "../model/requests/leftCalls.ts";
import type { RequestView } from "../model/requests/watch.ts";
import { type Failure, logBug } from "./outcome.ts";
import type { ApiError } from "./respond.ts";

/** The field of a call that holds the prompt. An error about its length names it. */
export type PromptField = "messages" | "prompt" | "input" | "documents";

/** OpenAI's clients retry 409, 429 and 5xx by themselves. This tells them that a retry is useless. */
const noRetry = { "x-should-retry": "false" };

export const missingKey: ApiError = {
  status: 401,
  type: "invalid_request_error",
  code: "invalid_api_key",
  message: "You did not provide an API key. Send it as a header: Authorization: Bearer sk-gleaner-…",
};

export function originNotAllowed(page: string): ApiError {
  return {
    status: 403,
    type: "invalid_request_error",
    code: "origin_not_allowed",
    message: foreignPageWords(page),
  };
}

export function unknownUrl({ method, url }: Request): ApiError {
  const { pathname } = new URL(url);
  return {
    status: 404,
    type: "invalid_request_error",
    code: "unknown_url",
    message: `Unknown request URL: ${method} ${quotable(pathname)}.`,
  };
}

/** @param allowed the methods that the URL has. */
export function wrongMethod({ method, url }: Request, allowed: readonly string[]): ApiError {
  const { pathname } = new URL(url);
  return {
    status: 405,
    type: "invalid_request_error",
    code: "method_not_allowed",
    message: `${quotable(pathname)} has no ${method}. It has: ${allowed.join(", ")}.`,
    headers: { allow: allowed.join(", ") },
  };
}

/**
 * The error of the first parameter of an address that its call does not have, or that is there twice. Null: none is, or nobody
 * answers the call.
 */
export function unknownQuery({ method, url }: Request): ApiError | null {
  const { pathname, searchParams } = new URL(url);
  const isOllama = pathname.startsWith("/api/");
  const known: readonly string[] | null = isOllama
    ? []
    : queryOf(method === "HEAD" ? "GET" : method, pathname);
  if (known === null) return null;
  const names = [...searchParams.keys()];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return repeatedQuery(names);
  const param = quotable(unknown);
  const has = known.length === 0 ? "none" : known.map((name) => `'${name}'`).join(", ");
  return {
    status: 400,
    type: "invalid_request_error",
    code: "unknown_parameter",
    param,
    message: `Unknown parameter of the address: '${param}'. This call has ${has}.`,
  };
}

function repeatedQuery(names: readonly string[]): ApiError | null {
  const param = names.find((name, index) => names.indexOf(name) !== index);
  return param === undefined ? null : repeated("The address has the parameter", param);
}

/** Of what is there twice, only one would count. */
export function repeated(what: string, param: string): ApiError {
  return {
    status: 400,
    type: "invalid_request_error",
    code: "invalid_value",
    param,
    message: `${what} '${param}' twice.`,
  };
}

type Offered = Parameters<typeof offerWords>[0];

/** No model of the caller has this name. @param model null: none was named, and the organization has no default model. */
export function unknownModel(model: string | null, offered: Offered): ApiError {
  if (model === null) {
    return {
      status: 400,
      type: "invalid_request_error",
      code: "missing_required_parameter",
      param: "model",
      message: `model is required, because your organization has no default model. ${offerWords(offered)}`,
    };
  }
  return {
    status: 404,
    type: "invalid_request_error",
    code: "model_not_found",
    param: "model",
    message: `The model '${quotable(model)}' does not exist, or your organization does not offer it to this API key. ${offerWords(offered)}`,
  };
}

/** OpenAI's clients retry this by themselves. */
export function tooManyWaiting({
  of,
  most,
}: {
  readonly of: "key" | "organization";
  readonly most: number;
}): ApiError {
  const [who, variable] =
    of === "key"
      ? ["This API key", "MAX_WAITING_CALLS"]
      : ["Your organization", "MAX_WAITING_CALLS_OF_ORGANIZATION"];
  return {
    status: 429,
    type: "requests",
    code: "too_many_waiting_calls",
    message:
      `${who} already has ${String(most)} calls that wait for their answers, which is the most. Wait for some of ` +
      `them, or ask your server's operator to raise ${variable}.`,
    headers: { "retry-after": "5" },
  };
}

export const bodyTooLarge: ApiError = {
  status: 413,
  type: "invalid_request_error",
  code: "request_too_large",
  message: `The body is too large: at most ${String(limits.bodyBytes)} bytes are allowed.`,
};

export const unknownEncoding: ApiError = {
  status: 415,
  type: "invalid_request_error",
  code: "unsupported_content_encoding",
  message: "The body has another Content-Encoding than gzip. Send it with gzip, or without.",
  headers: { "accept-encoding": "gzip, identity" },
};

export const bodyNotGzip: ApiError = {
  status: 400,
  type: "invalid_request_error",
  code: "invalid_request_body",
  message: "The body is not gzip, although its Content-Encoding says so.",
};

export const bodyNotUtf8: ApiError = {
  status: 400,
  type: "invalid_request_error",
  code: "invalid_json",
  message: "The body is not valid UTF-8.",
};

export function wrongExpiry(header: string): ApiError {
  const [least, most] = [jobTimes.leastMs / 1_000, jobTimes.mostMs / 1_000];
  return {
    status: 400,
    type: "invalid_request_error",
    code: "invalid_value",
    param: header,
    message: `The header ${header} must be a whole number of seconds from ${String(least)} to ${String(most)}.`,
  };
}

/** Requirements of a request, in addition to its key's. */
export const needsHeader = "Gleaner-Requires";

/** @param why follows the header's name. */
export function wrongNeeds(why: string): ApiError {
  return {
    status: 400,
    type: "invalid_request_error",
    code: "invalid_value",
    param: needsHeader,
    message: `The header ${needsHeader} ${why}.`,
  };
}

export function missingParameter(param: string): ApiError {
  return {
    status: 400,
    type: "invalid_request_error",
    code: "missing_required_parameter",
    param,
    message: `Missing '${param}', which is required.`,
  };
}

export function wrongParameter(param: string, allowed: readonly (string | number)[]): ApiError {
  return {
    status: 400,
    type: "invalid_request_error",
    code: "invalid_value",
    param,
    message: `The parameter ${param} must be one of: ${allowed.join(", ")}.`,
  };
}

export const wrongMetricsToken: ApiError = {
  status: 401,
  type: "invalid_request_error",
  code: "invalid_api_key",
  message: "This token for metrics is unknown, or it was replaced.",
};

export function fromParse({ status, code, param, message }: BodyRefusal): ApiError {
  return { status, type: "invalid_request_error", code, param, message };
}

/** The error that a requester gets when a call of our own functions did not succeed. Bugs and outages are logged. */
export function errorOf(failure: Failure, promptField: PromptField = "messages"): ApiError {
  if (failure.kind === "refused") return fromRefusal(failure.refusal, promptField);
  logBug("a request failed", failure.thrown);
  return internalError;
}

function fromRefusal({ code, message, param, retryAfterMs }: Refusal, promptField: PromptField): ApiError {
  const error = {
    type: "invalid_request_error",
    message,
    ...refusals[code],
    ...(isOfPrompt(code) ? { param: promptField } : {}),
    ...(param === undefined ? {} : { param }),
  };
  if (retryAfterMs === undefined) return error;
  const retryAfter = String(Math.max(1, Math.ceil(retryAfterMs / 1_000)));
  return { ...error, headers: { ...error.headers, "retry-after": retryAfter } };
}

const refusals: Readonly<
  Record<RefusalCode, Omit<ApiError, "type" | "message"> & { readonly type?: string }>
> = {
  unauthorized: { status: 401, code: "invalid_api_key" },
  revoked: { status: 401, code: "invalid_api_key" },
  expired: { status: 401, code: "invalid_api_key" },
  scope_missing: { status: 403, code: "insufficient_scope" },
  address_not_allowed: { status: 403, code: "address_not_allowed" },
  origin_not_allowed: { status: 403, code: "origin_not_allowed" },
  retired: { status: 401, code: "invalid_api_key" },
  forbidden: { status: 403, code: "forbidden" },
  proof_needed: { status: 403, code: "forbidden" },
  second_factor_needed: { status: 403, code: "forbidden" },
  not_found: { status: 404, code: "not_found" },
  invalid: { status: 400, code: "invalid_value" },
  too_many_lanes: { status: 400, code: "invalid_value" },
  too_large: { status: 413, code: "request_too_large" },
  context_length_exceeded: { status: 400, code: "context_length_exceeded" },
  model_not_found: { status: 404, code: "model_not_found", param: "model" },
  requirements_not_allowed: { status: 403, code: "requirements_not_allowed", param: needsHeader },
  requirements_unmet: { status: 400, code: "requirements_unmet", param: needsHeader },
  priority_not_allowed: { status: 403, code: "priority_not_allowed", param: "service_tier" },
  quota_exceeded: {
    status: 429,
    code: "insufficient_quota",
    type: "insufficient_quota",
    headers: noRetry,
  },
  conflict: { status: 409, code: "idempotency_conflict", headers: noRetry },
  rate_limited: { status: 429, code: "rate_limit_exceeded", type: "requests" },
  key_restricted: { status: 429, code: "key_restricted", type: "requests", headers: noRetry },
  queue_full: { status: 429, code: "queue_full", type: "requests" },
  draining: { status: 503, code: "model_draining", type: "server_error" },
  no_device: { status: 503, code: "no_device", type: "server_error", headers: noRetry },
};

const promptCodes = ["too_large", "context_length_exceeded", "result_too_large", "wrong_tokens"];

function isOfPrompt(code: string): boolean {
  return promptCodes.includes(code);
}

/** The error for a job that ended without an answer; null if it has an answer or has not ended. */
export function endOf(
  { status, result, error }: Pick<RequestView, "status" | "result" | "error">,
  promptField: PromptField,
): ApiError | null {
  switch (status) {
    case "queued":
    case "running":
      return null;
    case "succeeded":
      return result === null ? resultExpired : null;
    case "failed":
      return fromFailedJob(error, promptField);
    case "canceled":
      return ofCanceledJob(error);
    case "expired":
      return jobExpired;
  }
}

export const resultExpired: ApiError = {
  status: 410,
  type: "invalid_request_error",
  code: "result_expired",
  message: "The answer was deleted, since answers are kept for a limited time.",
  headers: noRetry,
};

const jobCanceled: ApiError = {
  status: 409,
  type: "server_error",
  code: "job_canceled",
  message: "The job was canceled.",
  headers: noRetry,
};

function ofCanceledJob(error: RequestView["error"]): ApiError {
  switch (error?.code) {
    case "key_restricted":
      return ofRestrictedKey(error);
    case "key_revoked":
    case "key_expired":
      return { ...jobCanceled, message: `${jobCanceled.message} ${error.message}` };
    case "model_retired":
      return { ...ofRetiredModel, message: error.message };
    default:
      return jobCanceled;
  }
}

const ofRetiredModel = {
  status: 404,
  type: "invalid_request_error",
  code: "model_retired",
  param: "model",
  headers: noRetry,
};

/** The job was canceled because its API key was restricted. The same idempotency key finds it for a day. */
function ofRestrictedKey({ code, message }: NonNullable<RequestView["error"]>): ApiError {
  return { status: 429, type: "requests", code, message, headers: noRetry };
}

export const jobNotQueued: ApiError = {
  status: 409,
  type: "invalid_request_error",
  code: "job_not_queued",
  message: "A device has started the job, or the job has ended. Its priority counts no longer.",
  headers: noRetry,
};

export const noAnswerToRate: ApiError = {
  status: 409,
  type: "invalid_request_error",
  code: "job_not_answered",
  message: "The job has no answer, so nothing can be rated.",
  headers: noRetry,
};

export const noRating: ApiError = {
  status: 404,
  type: "invalid_request_error",
  code: "not_found",
  message: "The job's answer has no rating.",
};

export const disputeDecided: ApiError = {
  status: 409,
  type: "invalid_request_error",
  code: "dispute_decided",
  message: "An administrator has decided the dispute of this answer, so its rating stays as it is.",
  headers: noRetry,
};

/** @param status how the job has ended. */
export function jobEnded(status: string): ApiError {
  return {
    status: 409,
    type: "invalid_request_error",
    code: "job_ended",
    message: `The job has ended already: it ${status === "succeeded" ? "has its answer" : `is ${status}`}.`,
    headers: noRetry,
  };
}

/** A call of several jobs has no receipt and no rating. @param has such as "a receipt". */
export function severalJobs(has: string, jobIds: readonly string[]): ApiError {
  return {
    status: 400,
    type: "invalid_request_error",
    code: "several_jobs",
    message: `This call is several jobs, and each of them has ${has} of its own: ${jobIds.join(", ")}.`,
  };
}

const jobExpired: ApiError = {
  status: 504,
  type: "server_error",
  code: "job_expired",
  message: "The job did not finish before its deadline.",
  headers: noRetry,
};

/** The fields that are wrong if a job fails with these codes. */
const faults: Readonly<Record<string, string | undefined>> = {
  invalid_grammar: "response_format",
  wrong_dimensions: "dimensions",
};

/** The queue has retried the job already, so the client should not. */
function fromFailedJob(error: RequestView["error"], promptField: PromptField): ApiError {
  if (error?.code === "schema_not_met") {
    return { status: 422, type: "invalid_request_error", code: error.code, message: error.message };
  }
  if (error?.code === resultExpired.code) return { ...resultExpired, message: error.message };
  const param = error === null ? null : (faults[error.code] ?? (isOfPrompt(error.code) ? promptField : null));
  if (error !== null && param !== null) {
    const { code, message } = error;
    return { status: 400, type: "invalid_request_error", code, param, message };
  }
  return {
    status: 500,
    type: "server_error",
    code: error?.code ?? "internal_error",
    message: error?.message ?? "The job failed.",
    headers: noRetry,
  };
}

/**
 * The end of a wait without an answer. A job that continues is worth asking for at once, so clients that retry go on waiting.
 * @param job `kept`: the same idempotency key finds it; `request`: an equal request does, for a while.
 * @param waiting why it has no answer, and the headers that say how it waits.
 */
export function waitIsOver(
  {
    jobId,
    kept,
    request,
  }: { readonly jobId: string; readonly kept: boolean; readonly request: string | null },
  { why, headers }: { readonly why: string; readonly headers: Readonly<Record<string, string>> },
): ApiError {
  const continues = kept || request !== null;
  const then = kept
    ? "Send it again with the same Idempotency-Key to continue waiting."
    : continues
      ? `Send the same request again within ${String(leftMs / 1_000)} seconds to continue waiting. Then it is canceled.`
      : "It was canceled. Try again later.";
  return {
    status: 503,
    type: "server_error",
    code: "no_capacity",
    message: [`No device has answered job ${jobId} in time.`, why, then]
      .filter((text) => text !== "")
      .join(" "),
    headers: { ...headers, "retry-after": continues ? "1" : "30" },
  };
}

/** @param kept whether the job continues, so that the same idempotency key will find it. */
export function serverStops(kept: boolean): ApiError {
  return {
    status: 503,
    type: "server_error",
    code: "server_stopping",
    message: kept
      ? "The server stops. Send the request again with the same Idempotency-Key to get its answer."
      : "The server stops. Send the request again.",
    headers: { "retry-after": "5" },
  };
}

export const diverged: ApiError = {
  status: 500,
  type: "server_error",
  code: "attempt_diverged",
  message: "Another device took over, and its text differs from the sent text. Send the request again.",
};

const internalError: ApiError = {
  status: 500,
  type: "server_error",
  code: "internal_error",
  message: "Something went wrong on our side.",
};
