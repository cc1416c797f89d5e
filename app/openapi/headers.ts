import type { Operation } from "./operation.ts";

/** Headers of requests, by their names among the document's components. */
export const requestHeaders = {
  IdempotencyKey: header(
    "Idempotency-Key",
    { type: "string" },
    "The same key and body find the same job or batch.",
  ),
  ExpiresIn: header(
    "Gleaner-Expires-In",
    { type: "integer", minimum: 10, maximum: 604_800 },
    "Seconds after which the job ends as expired.",
  ),
  Requires: header(
    "Gleaner-Requires",
    { type: "string", maxLength: 2_048 },
    "What the device must have, as pairs of a URL's query: tag=eu&memory=16.",
  ),
  Prefer: header(
    "Prefer",
    { type: "string" },
    "`respond-async` answers with the job at once, `respond-async, wait=N` after N seconds. `wait=N` waits so long for an answer.",
  ),
  ContentEncoding: header("Content-Encoding", { enum: ["gzip", "identity"] }, "The body may be compressed."),
  Range: header("Range", { type: "string" }, "The wanted part of the file, such as `bytes=0-16777215`."),
  LastEventId: header("Last-Event-ID", { type: "string" }, "The `id` of the last event that the caller has."),
  IfNoneMatch: header("If-None-Match", { type: "string" }, "The `etag` of a version that the caller has."),
};
type RequestHeaderName = keyof typeof requestHeaders;

const asksForJob = (operation: Operation): boolean => operation.asksForJob === true;

/** The calls that read each header. */
const readers: Readonly<Record<RequestHeaderName, (operation: Operation) => boolean>> = {
  IdempotencyKey: (operation) =>
    asksForJob(operation) || (operation.method === "post" && operation.path === "/v1/batches"),
  ExpiresIn: asksForJob,
  Requires: (operation) =>
    asksForJob(operation) ||
    operation.answer === "Estimate" ||
    operation.body === "BatchRequest" ||
    operation.body === "BatchEstimateRequest",
  Prefer: (operation) =>
    asksForJob(operation) ||
    operation.answer === "result" ||
    (operation.method === "get" && operation.path === "/v1/responses/{id}"),
  ContentEncoding: ({ body }) => body !== undefined,
  Range: ({ answer }) => answer === "lines",
  LastEventId: ({ answer }) => answer === "events",
  IfNoneMatch: ({ open }) => open === true,
};

/** The headers that a call reads. */
export function requestHeadersOf(operation: Operation): readonly RequestHeaderName[] {
  const names = Object.keys(requestHeaders) as readonly RequestHeaderName[];
  return names.filter((name) => readers[name](operation));
}

function header(name: string, schema: object, description: string): object {
  return { name, in: "header", required: false, schema, description };
}

type AnswerHeader = {
  readonly type: "string" | "integer" | "number";
  readonly words: string;
  /** The calls whose answers may have it. */
  readonly calls: (operation: Operation) => boolean;
  /** The statuses of these answers. */
  readonly statuses: (status: number) => boolean;
};

const every = (): boolean => true;
const withKey = ({ open }: Operation): boolean => open !== true;
const ofJob = ({ asksForJob, path }: Operation): boolean =>
  asksForJob === true || path.startsWith("/v1/jobs/{id}") || path.startsWith("/v1/responses/{id}");
const ofAnswer = ({ asksForJob, answer, path }: Operation): boolean =>
  asksForJob === true || answer === "result" || path.startsWith("/v1/responses/{id}");
const ofContent = ({ answer }: Operation): boolean => answer === "lines";
const isOk = (status: number): boolean => status < 400;
const isError = (status: number): boolean => status >= 400;
const among =
  (...statuses: readonly number[]) =>
  (status: number): boolean =>
    statuses.includes(status);

/**
 * Each header of an answer that is not HTTP's own. The description of the API, the headers that pages in browsers may read, and the
 * tests come from here.
 */
export const answerHeaders = {
  "x-request-id": text("An id of the call.", every, every),
  "openai-processing-ms": whole("How long the server took, with the time in the queue.", every, every),
  "request-id": text("The same as `x-request-id`.", ({ path }) => path.startsWith("/v1/messages"), every),
  "x-ratelimit-limit-requests": whole("How many calls the key may make at once.", withKey, every),
  "x-ratelimit-remaining-requests": whole("How many of them are left.", withKey, every),
  "x-ratelimit-reset-requests": text("When all are left again, such as `6s`.", withKey, every),
  "x-ratelimit-limit-tokens": whole(
    "The key's quota of tokens of a day or a month: the one that is nearer to its end. Only with such a quota.",
    withKey,
    every,
  ),
  "x-ratelimit-remaining-tokens": whole("How many of them are left.", withKey, every),
  "x-ratelimit-reset-tokens": text("When that quota begins anew, such as `16h0m0s`.", withKey, every),
  "x-gleaner-job": text("The id of the job. Ids of several jobs are separated by commas.", ofJob, every),
  "x-gleaner-price-percent": number(
    "What the job costs because of its priority, kind, data class and hour, in percent of the model's price.",
    ofJob,
    isOk,
  ),
  "x-gleaner-price": whole(
    "What the job has cost, in micro-credits. A stream has it in its last event.",
    ofAnswer,
    isOk,
  ),
  "x-gleaner-queue-ms": whole(
    "How long the job waited for a device. A stream has it in its last event.",
    ofAnswer,
    isOk,
  ),
  "x-gleaner-device-class": text(
    "The kind of computer, such as `linux-x64/cuda`. A stream has it in its last event.",
    ofAnswer,
    isOk,
  ),
  "x-gleaner-model-sha256": text("The hash of the model's file.", ofJob, isOk),
  "x-gleaner-energy-wh": number(
    "The energy that the device used, in watt-hours. A stream has it in its last event.",
    ofAnswer,
    isOk,
  ),
  "x-gleaner-energy-source": text("`measured`, or `estimated` by the hardware.", ofAnswer, isOk),
  "x-gleaner-jobs-ahead": whole("How many jobs are before one that waits.", ofJob, among(200, 202, 503)),
  "x-gleaner-expected-wait": whole("Seconds until a device begins it.", ofJob, among(200, 202, 503)),
  "x-gleaner-devices-ready": whole("Devices that take such jobs now.", ofJob, among(200, 202, 503)),
  location: text("The path of the job, or of the response.", ofAnswer, among(202)),
  "preference-applied": text("`respond-async`, if the call asked for it.", ofAnswer, among(202)),
  "retry-after": whole("Seconds until it is worth trying again.", every, among(202, 429, 503)),
  "x-should-retry": text("`false`: the same call would fail again.", every, isError),
  "accept-encoding": text("The encodings of a body that are accepted.", every, among(415)),
  "accept-ranges": text("`bytes`: a part of the file can be asked for.", ofContent, among(200, 206)),
  "content-range": text("Which bytes of the file these are.", ofContent, among(206, 416)),
  etag: text("A name of this version, for `If-None-Match`.", ({ open }) => open === true, isOk),
} satisfies Readonly<Record<string, AnswerHeader>>;

export type AnswerHeaderName = keyof typeof answerHeaders;
export const answerHeaderNames = Object.keys(answerHeaders) as readonly AnswerHeaderName[];

/** The headers that an answer of a call may have. */
export function headersOf(operation: Operation, status: number): readonly AnswerHeaderName[] {
  return answerHeaderNames.filter((name) => {
    const { calls, statuses } = answerHeaders[name];
    return calls(operation) && statuses(status);
  });
}

/** Headers as a response of the document names them. */
export function headerRefs(names: readonly AnswerHeaderName[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

type Rest = [words: string, calls: AnswerHeader["calls"], statuses: AnswerHeader["statuses"]];

function text(...rest: Rest): AnswerHeader {
  return answered("string", ...rest);
}

function whole(...rest: Rest): AnswerHeader {
  return answered("integer", ...rest);
}

function number(...rest: Rest): AnswerHeader {
  return answered("number", ...rest);
}

function answered(type: AnswerHeader["type"], ...[words, calls, statuses]: Rest): AnswerHeader {
  return { type, words, calls, statuses };
}
