import type { IncomingMessage } from "node:http";

/** Some clients read the answer only after sending the body. Bodies up to this size are read to the end for them. */
const maxDrainedBytes = 64 * 1024 * 1024;
const maxDrainMs = 10_000;

/**
 * Reads and discards the rest of a refused body. Closing a connection with unread bytes resets it, and the reset
 * can overtake the answer. Beyond a limit of bytes or time the connection is cut anyway.
 */
export function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  const cut = setTimeout(() => request.destroy(), maxDrainMs);
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxDrainedBytes) request.destroy();
  });
  // A client that leaves meanwhile is not an error.
  request.on("error", () => undefined);
  request.on("close", () => {
    clearTimeout(cut);
  });
  // An earlier reader may have paused it.
  request.resume();
}

/** Resolves when the body has ended or the client has left. */
export async function bodyEnd(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    request.once("end", resolve);
    request.once("close", resolve);
  });
}
