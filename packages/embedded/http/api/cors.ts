import type { IncomingMessage, ServerResponse } from "node:http";
import { REQUEST_ID_HEADER } from "../../wire/request-id.ts";

const ALLOWED_HEADERS =
  "Content-Type, Authorization, Convex-Client, Convex-Parent-Request-Id, Digest, If-None-Match, If-Range, Range";
const ONE_DAY_S = 86_400;

/**
 * Any web page may call a deployment's public functions, as with Convex: what they need to know they ask
 * for themselves. Nothing rests on cookies, so no page gains from its visitor's browser.
 */
export function allowAnyOrigin(request: IncomingMessage, response: ServerResponse): void {
  const { origin } = request.headers;
  response.setHeader("Vary", "Origin");
  if (origin === undefined) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", REQUEST_ID_HEADER);
}

export function answerPreflight(response: ServerResponse): void {
  response.writeHead(204, {
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": ALLOWED_HEADERS,
    "Access-Control-Max-Age": String(ONE_DAY_S),
  });
  response.end();
}
