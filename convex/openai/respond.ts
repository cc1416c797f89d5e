/** Browsers may call from anywhere: access is by bearer key, never by cookie. */
export const cors: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "x-gleaner-job, retry-after",
};

/** The answer to a browser's question before its call. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...cors,
      "access-control-allow-methods": "GET, POST, OPTIONS",
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
