import { visibleText } from "../../app/format/visible.ts";

/** Browsers may call from anywhere: access is by bearer key, never by cookie. */
export const cors: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "x-request-id, openai-processing-ms, x-gleaner-job, x-gleaner-price-percent, x-gleaner-price, retry-after, location, " +
    "preference-applied, content-range",
};

/** The answer to a browser's preflight request. */
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

/** Tells a requester its job, and what its priority costs, in percent of the model's price. */
export function jobHeaders({
  jobId,
  pricePercent,
}: {
  readonly jobId: string;
  readonly pricePercent: number;
}): Readonly<Record<string, string>> {
  return { "x-gleaner-job": jobId, "x-gleaner-price-percent": String(pricePercent) };
}

/** The same with an answer, whose job may have been raised while it waited. `x-gleaner-price`: micro-credits. */
export function answerHeaders(
  jobId: string,
  { priceMicro, pricePercent }: { readonly priceMicro: bigint | null; readonly pricePercent: number },
): Readonly<Record<string, string>> {
  const price = priceMicro === null ? {} : { "x-gleaner-price": String(priceMicro) };
  return { ...jobHeaders({ jobId, pricePercent }), ...price };
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

export function errorResponse(error: ApiError): Response {
  return json(error.status, errorBody(error), error.headers);
}

/** The same, and names the job. */
export function jobErrorResponse(error: ApiError, jobId: string): Response {
  return errorResponse({ ...error, headers: { ...error.headers, "x-gleaner-job": jobId } });
}
