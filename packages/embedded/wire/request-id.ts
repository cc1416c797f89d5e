import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Where an answer says by what id its errors and log lines are found. */
export const requestIdHeader = "X-Convex-Request-Id";

const ids = new WeakMap<IncomingMessage, string>();

/** Made by us, never taken from outside: nobody can put words into the log. */
export function newRequestId(): string {
  return randomBytes(8).toString("hex");
}

/** A request's id, the same for everybody who handles it. */
export function requestIdOf(request: IncomingMessage): string {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const id = newRequestId();
  ids.set(request, id);
  return id;
}
