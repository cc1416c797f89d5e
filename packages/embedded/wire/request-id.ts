import type { IncomingMessage } from "node:http";
import { RandomPool } from "../values/random-pool.ts";

/** Response header with the id of the request's errors and log lines. */
export const requestIdHeader = "X-Convex-Request-Id";

const idBytes = 8;
const pool = new RandomPool(idBytes);

const ids = new WeakMap<IncomingMessage, string>();

/** Always generated here, so that clients cannot inject text into the log. */
export function newRequestId(): string {
  return pool.next().toString("hex");
}

/** A request's id, the same for all its handlers. */
export function requestIdOf(request: IncomingMessage): string {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const id = newRequestId();
  ids.set(request, id);
  return id;
}
