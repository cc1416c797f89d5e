import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Response header with the id of the request's errors and log lines. */
export const requestIdHeader = "X-Convex-Request-Id";

const ids = new WeakMap<IncomingMessage, string>();

/** Always generated here, so that clients cannot inject text into the log. */
export function newRequestId(): string {
  return randomBytes(8).toString("hex");
}

/** A request's id, the same for all its handlers. */
export function requestIdOf(request: IncomingMessage): string {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const id = newRequestId();
  ids.set(request, id);
  return id;
}
