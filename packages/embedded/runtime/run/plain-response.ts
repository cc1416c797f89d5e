const getterOf = (name: string): unknown =>
  Reflect.get(Object.getOwnPropertyDescriptor(Response.prototype, name) ?? {}, "get");
const statusOf = getterOf("status") as (this: Response) => number;
const headersOf = getterOf("headers") as (this: Response) => Headers;
const bodyOf = getterOf("body") as (this: Response) => ReadableStream<Uint8Array> | null;

/**
 * Makes a response of what an HTTP action returned, without properties that the action has added or replaced: the server would
 * run that code outside the function, without a limit of time. Throws a TypeError for another value, and for a body that was
 * read. Call it within the function's time limit.
 */
export function plainResponse(returned: unknown): Response {
  const response = returned as Response;
  const headers = new Headers();
  Headers.prototype.forEach.call(headersOf.call(response), (value, name) => {
    headers.append(name, value);
  });
  return new Response(bodyOf.call(response), { status: statusOf.call(response), headers });
}

/** Reads a body, whatever its function has replaced in it. */
export function readerOf(body: ReadableStream<Uint8Array>): ReadableStreamDefaultReader<unknown> {
  return ReadableStream.prototype.getReader.call(body) as ReadableStreamDefaultReader<unknown>;
}

/**
 * Whether a stream gives its chunks away: a stream of bytes takes the memory of each chunk from its source, so only the reader has it
 * then. Only such a stream has a reader with a buffer of its own.
 */
export function givesChunksAway(body: ReadableStream<Uint8Array>): boolean {
  try {
    ReadableStream.prototype.getReader.call(body, { mode: "byob" }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** Cancels the body of a response, whatever its function has replaced in it. */
export async function cancelBody({ body }: Response): Promise<void> {
  if (body !== null) await ReadableStream.prototype.cancel.call(body);
}
