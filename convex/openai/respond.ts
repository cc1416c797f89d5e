import type { Infer } from "convex/values";
import { unixSeconds } from "../../app/batches/openai-objects.ts";
import { sumOfEnergy, wattHoursText } from "../../app/energy/job-energy.ts";
import { visibleText } from "../../app/format/visible.ts";
import { parseJson, recordOf } from "../../app/json.ts";
import { allowedOrigin, type Origins } from "../../app/keys/origins.ts";
import { answerHeaderNames } from "../../app/openapi/headers.ts";
import type { RequestView } from "../model/requests/watch.ts";
import type { foundWrong } from "../model/validators/answers.ts";

/** Headers for browsers. `withOrigin` takes the first one from pages that nobody has allowed. */
export const cors: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": answerHeaderNames.join(", "),
};

/**
 * The origin of the page of another server that calls. Null: no browser calls, or a page of this server does. Browsers tell the
 * latter by `sec-fetch-site`, but not without TLS.
 */
export function foreignPage({ headers, url }: Request): string | null {
  const origin = headers.get("origin");
  if (origin === null || origin === "" || headers.get("sec-fetch-site") === "same-origin") return null;
  const isHere =
    URL.canParse(origin) && [headers.get("host"), new URL(url).host].includes(new URL(origin).host);
  return isHere ? null : origin;
}

/** The origin of the page that calls, if it may not. */
export function refusedPage(request: Request, allowed: Origins): string | null {
  const page = foreignPage(request);
  return page !== null && allowedOrigin(allowed, page) === null ? page : null;
}

/** Lets only pages of the allowed origins read an answer. */
export function withOrigin(request: Request, response: Response, allowed: Origins): Response {
  const origin = allowedOrigin(allowed, request.headers.get("origin"));
  if (origin === "*") return response;
  response.headers.set("vary", "Origin");
  if (origin === null) response.headers.delete("access-control-allow-origin");
  else response.headers.set("access-control-allow-origin", origin);
  return response;
}

/** The answer to a browser's preflight request of a page that may call. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...cors,
      "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
      "access-control-allow-headers": "*, authorization, content-type, idempotency-key",
      "access-control-max-age": "86400",
    },
  });
}

export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...cors, ...headers },
  });
}

/** Tells a requester its job, what its priority costs, in percent of the model's price, and the hash of the model's file. */
export function jobHeaders({
  jobId,
  pricePercent,
  sha256,
}: {
  readonly jobId: string;
  readonly pricePercent: number;
  readonly sha256?: string;
}): Readonly<Record<string, string>> {
  return {
    "x-gleaner-job": jobId,
    "x-gleaner-price-percent": String(pricePercent),
    ...(sha256 === undefined ? {} : { "x-gleaner-model-sha256": sha256 }),
  };
}

/** The cost of an answer, and the known facts about its device. */
export type AnswerCost = Pick<
  RequestView,
  "priceMicro" | "pricePercent" | "queueMs" | "deviceClass" | "energy"
>;

/** The cost of an answer of several jobs. They wait for different times, on different devices. */
export function totalCost(costs: readonly AnswerCost[], pricePercent: number): AnswerCost {
  const priceMicro = costs.reduce<bigint | null>(
    (sum, cost) => (sum === null || cost.priceMicro === null ? null : sum + cost.priceMicro),
    0n,
  );
  const energy = sumOfEnergy(costs.map((cost) => cost.energy));
  return { priceMicro, pricePercent, queueMs: null, deviceClass: null, energy };
}

/**
 * The same facts as `answerHeaders`, for the last event of a stream, whose headers are sent before they are known. Null: not known.
 * Units and names are those of jobs over HTTP.
 */
export function costBody(
  { sha256 }: { readonly sha256: string },
  { priceMicro, pricePercent, queueMs, deviceClass, energy }: AnswerCost,
): object {
  return {
    queue_ms: queueMs,
    device_class: deviceClass,
    model_sha256: sha256,
    price_percent: pricePercent,
    price_micro: priceMicro === null ? null : String(priceMicro),
    energy: energyBody(energy),
  };
}

export function energyBody(energy: AnswerCost["energy"]): object | null {
  return energy === null ? null : { watt_hours: energy.microWh / 1e6, source: energy.source };
}

/** The reason for a wait, as fields of the API have it. */
export function waitBody(waitsFor: string | null): string | null {
  return waitsFor?.replace("-", "_") ?? null;
}

/** How the request of a wrong answer goes on. */
export function correctionBody({
  correctedBy,
  notCorrected,
  postponedFor,
  postponed,
}: Omit<Infer<typeof foundWrong>, "at">): object {
  const before = postponedFor === undefined ? "" : ` Before that: ${postponedFor}`;
  return {
    corrected_by: correctedBy ?? null,
    not_corrected: notCorrected === undefined ? null : `${notCorrected}${before}`,
    postponed:
      postponed === undefined ? null : { why: postponed.why, next_at: unixSeconds(postponed.nextAt) },
  };
}

/** Our field of an answer. @param opinion of its votes; null without any. @param cost a `costBody`; null if headers tell it. */
export function ownField(opinion: object | null, cost: object | null = null): object {
  return opinion === null && cost === null ? {} : { x_gleaner: { ...opinion, ...cost } };
}

/**
 * The same with an answer, whose job may have been raised while it waited. `x-gleaner-price`: micro-credits;
 * `x-gleaner-queue-ms`: until a device began it; `x-gleaner-energy-wh`: watt-hours.
 */
export function answerHeaders(
  job: { readonly jobId: string; readonly sha256: string },
  { priceMicro, pricePercent, queueMs, deviceClass, energy }: AnswerCost,
): Readonly<Record<string, string>> {
  return {
    ...jobHeaders({ ...job, pricePercent }),
    ...(priceMicro === null ? {} : { "x-gleaner-price": String(priceMicro) }),
    ...(queueMs === null ? {} : { "x-gleaner-queue-ms": String(queueMs) }),
    ...(deviceClass === null ? {} : { "x-gleaner-device-class": deviceClass }),
    ...(energy === null
      ? {}
      : { "x-gleaner-energy-wh": wattHoursText(energy), "x-gleaner-energy-source": energy.source }),
  };
}

/** OpenAI's error object, with its status and headers. */
export type ApiError = {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly param?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Errors may quote what was asked, and are read in terminals. */
export function errorBody({ message, type, code, param = null }: ApiError): object {
  return {
    error: { message: visibleText(message), type, param: param === null ? null : visibleText(param), code },
  };
}

/** The fields of OpenAI's error object, for APIs whose errors have another form. */
export type ErrorFields = { readonly [field: string]: unknown; readonly message: string };

export async function errorFieldsOf(response: Response): Promise<ErrorFields> {
  const text = await response.text();
  const error = recordOf(recordOf(parseJson(text))["error"]);
  const { message } = error;
  return { ...error, message: typeof message === "string" ? message : text };
}

export function errorResponse(error: ApiError): Response {
  return json(error.status, errorBody(error), error.headers);
}

/** The same, and names the job. */
export function jobErrorResponse(error: ApiError, jobId: string): Response {
  return errorResponse({ ...error, headers: { ...error.headers, "x-gleaner-job": jobId } });
}

/** Seconds until it is worth asking for the job. */
const askAgain = "2";

/** Says that a call answered with its job because it asked for that. */
export const respondedAsync = { "preference-applied": "respond-async" } as const;

/** The headers of a call that is answered before its end: the path of what it asked for, and when to look. */
export function addressOf(path: string): Readonly<Record<string, string>> {
  return { location: path, "retry-after": askAgain };
}
