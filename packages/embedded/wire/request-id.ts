import { randomFillSync } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Response header with the id of the request's errors and log lines. */
export const requestIdHeader = "X-Convex-Request-Id";

const idBytes = 8;
/** Random bytes are drawn for many ids at once: most of the cost is the call. */
const pool = Buffer.alloc(256 * idBytes);
let used = pool.length;

const ids = new WeakMap<IncomingMessage, string>();

/** Always generated here, so that clients cannot inject text into the log. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += idBytes;
  return pool.toString("hex", used - idBytes, used);
}

/** A request's id, the same for all its handlers. */
export function requestIdOf(request: IncomingMessage): string {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const id = newRequestId();
  ids.set(request, id);
  return id;
}
