import type { IncomingMessage } from "node:http";

/** Some clients read the answer only after sending the body. Bodies up to this size are read to the end for them. */
const maxDrainedBytes = 64 * 1024 * 1024;
const maxDrainMs = 10_000;

/**
 * Reads and discards the rest of a refused body. Closing a connection with unread bytes resets it, and the reset
 * can overtake the answer. Beyond a limit of bytes or time, `atLimit` runs: by default it cuts the connection.
 */
export function drain(request: IncomingMessage, atLimit: () => void = () => request.destroy()): void {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  const late = setTimeout(atLimit, maxDrainMs);
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxDrainedBytes) atLimit();
  });
  // A client that leaves meanwhile is not an error.
  request.on("error", () => undefined);
  request.on("close", () => {
    clearTimeout(late);
  });
  // An earlier reader may have paused it.
  request.resume();
}

/**
 * Discards a refused body before it is answered. Resolves when the body has ended, when the client has left, or at the limit:
 * then the answer goes out at once, and the connection ends with it.
 */
export async function discardBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    request.once("end", resolve);
    request.once("close", resolve);
    drain(request, resolve);
  });
}
