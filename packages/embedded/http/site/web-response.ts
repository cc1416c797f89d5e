import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { isUint8Array } from "node:util/types";
import { limits } from "../../runtime/checks/limits.ts";
import { cancelBody, givesChunksAway, readerOf } from "../../runtime/run/plain-response.ts";

/** The server sets these itself, depending on how it sends the body. The others are of one connection, too. */
const ownHeaders = new Set(["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]);

/**
 * Streams an HTTP action's response with backpressure. When the client leaves or the body is too large, cuts the
 * connection and cancels the body's stream, so that its producer can stop.
 */
export async function sendWebResponse(
  response: Response,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const body = outgoing.req.method === "HEAD" ? null : response.body;
  try {
    setHead(response, outgoing);
    // Without a body, the end sends the headers.
    if (body !== null) outgoing.flushHeaders();
  } catch (error) {
    // Nobody reads the body anymore, so its source would go on for half an hour. Its own code may keep the cancellation waiting.
    cancelBody(response).catch(() => undefined);
    throw error;
  }
  if (body === null) {
    await cancelBody(response);
    outgoing.end();
    return;
  }
  await pump(body, outgoing, signal);
}

function setHead(response: Response, outgoing: ServerResponse): void {
  for (const [name, value] of response.headers) {
    if (!ownHeaders.has(name) && name !== "set-cookie") outgoing.setHeader(name, value);
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader("set-cookie", cookies);
  outgoing.statusCode = response.status;
  // A body of another length than its header says would spoil the connection's next answer, or never end.
  outgoing.strictContentLength = true;
}

/** Smaller chunks may wait for the garbage collector. */
const returnedBytes = 64 * 1024;

/** Sends a body. The memory of large chunks that it gives away is given back at once: the garbage collector would keep many. */
async function pump(
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const isOwner = givesChunksAway(body);
  const reader = readerOf(body);
  const cancel = (reason: unknown): void => {
    reader.cancel(reason).catch(() => undefined);
  };
  const stop = (): void => {
    cancel(signal.reason);
  };
  let size = 0;
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const { value } = part;
      if (!isUint8Array(value)) throw new TypeError("A body must be a stream of Uint8Arrays");
      size += value.byteLength;
      if (size > limits.httpResponseBytes) throw new Error("The response is too large");
      if (isOwner && value.byteLength >= returnedBytes) {
        await written(outgoing, value, signal);
        (value.buffer as ArrayBuffer).transfer(0);
      } else if (!outgoing.write(value)) await once(outgoing, "drain", { signal });
    }
    outgoing.end();
  } catch (error) {
    cancel(error);
    // The headers are sent, so only cutting the connection shows that the body is incomplete.
    outgoing.destroy();
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Writes a chunk, and waits until the system has all of it. Rejects when the client leaves. */
async function written(outgoing: ServerResponse, chunk: Uint8Array, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const leave = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", leave, { once: true });
    outgoing.write(chunk, (error) => {
      signal.removeEventListener("abort", leave);
      if (error) reject(error);
      else resolve();
    });
  });
}
