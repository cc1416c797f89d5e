import type { IncomingMessage } from "node:http";

/** A client that reads no answer before it has sent its body gets one up to this size. */
const maxDrainedBytes = 64 * 1024 * 1024;
const maxDrainMs = 10_000;

/**
 * Reads on and throws away what comes of a refused body: a connection closed on unread bytes is reset, and
 * the reset overtakes the answer. Beyond a bound of bytes or time it is cut all the same.
 */
export function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  const cut = setTimeout(() => request.destroy(), maxDrainMs);
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxDrainedBytes) request.destroy();
  });
  // A client that leaves meanwhile is no error of ours.
  request.on("error", () => undefined);
  request.on("close", () => {
    clearTimeout(cut);
  });
  // Whoever read it before may have paused it.
  request.resume();
}

/** Resolves when the body is through or the client gone. */
export async function bodyEnd(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    request.once("end", resolve);
    request.once("close", resolve);
  });
}
