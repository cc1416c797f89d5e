import { bodies } from "./bodies.ts";
import { answerHeaderNames, headerRefs, headersOf } from "./headers.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";

/** The errors of the HTTP API by their status. docs/api.md has the codes of each. */
const statuses = {
  400: "A field, a header, the body or a parameter of the address is wrong. `param` names it, and the message says what is accepted.",
  401: "The API key is missing, unknown or revoked.",
  403: "The key does not allow this.",
  404: "The model, or the object with this id, does not exist.",
  409: "The idempotency key was used for another request, or the job is in another state.",
  410: "The answer or the content was deleted, since texts are kept for a limited time.",
  413: "The request is too large.",
  415: "The body is compressed otherwise than with gzip.",
  416: "The file has none of these bytes.",
  422: "The model's answers broke a rule of the strict schema.",
  429: "Too many calls, too many waiting requests, or too few credits. `Retry-After` says when to try again.",
  500: "The job failed, or the server did.",
  503: "No device was free in time, or the server stops. `Retry-After` says when to try again.",
  504: "The job did not finish before its deadline.",
} as const;
type Status = keyof typeof statuses;

const always: readonly Status[] = [400, 401, 403, 429, 500, 503];
const ofJobs: readonly Status[] = [404, 409, 410, 422, 504];

function errorName(status: Status, path: string): string {
  return path.startsWith("/v1/messages") ? `MessageError${String(status)}` : `Error${String(status)}`;
}

/** References to the errors that a call may have. */
export function errorsOf(operation: Operation): object {
  return Object.fromEntries(
    statusesOf(operation).map((status) => [
      status,
      { $ref: `#/components/responses/${errorName(status, operation.path)}` },
    ]),
  );
}

function statusesOf(operation: Operation): readonly Status[] {
  const { method, path, body, asksForJob, answer, open } = operation;
  const own: Status[] = open === true ? [400] : [...always];
  if (body !== undefined) own.push(413, 415);
  if (namesAnObject(operation)) own.push(404);
  if (path.includes("{id}") || (method === "post" && path === "/v1/batches")) own.push(409);
  if (asksForJob === true) own.push(...ofJobs);
  if (answer === "result") own.push(410, 422, 504);
  if (answer === "Response") own.push(410);
  if (answer === "lines") own.push(410, 413, 416);
  return own;
}

/** Whether a call names a model, a file or another object, which may not exist. */
function namesAnObject({ path, body, query = [] }: Operation): boolean {
  if (path.includes("{id}") || query.includes("after")) return true;
  if (body === undefined || body === "FileForm" || body === "PartForm") return false;
  const { fields } = bodies[body].body;
  return "model" in fields || "input_file_id" in fields;
}

const example = {
  error: {
    message: "Unknown parameter: 'max_token'. Did you mean 'max_tokens'?",
    type: "invalid_request_error",
    param: "max_token",
    code: "unknown_parameter",
  },
};

/** An error of several calls. It has the headers that any of them may send with it. */
function responseOf(status: Status, schema: "Error" | "MessageError", shown: object): object {
  const calls = operations.filter(
    (each) =>
      errorName(status, each.path) === `${schema}${String(status)}` && statusesOf(each).includes(status),
  );
  const sent = new Set(calls.flatMap((each) => headersOf(each, status)));
  return {
    description: statuses[status],
    headers: headerRefs(answerHeaderNames.filter((name) => sent.has(name))),
    content: {
      "application/json": {
        schema: { $ref: `#/components/schemas/${schema}` },
        ...(status === 400 ? { example: shown } : {}),
      },
    },
  };
}

/** The errors of both forms, OpenAI's and Anthropic's. */
export const errorResponses: Readonly<Record<string, object>> = Object.fromEntries(
  (Object.keys(statuses).map(Number) as Status[]).flatMap((status) => [
    [errorName(status, ""), responseOf(status, "Error", example)],
    [errorName(status, "/v1/messages"), responseOf(status, "MessageError", { type: "error", ...example })],
  ]),
);
