/** More came than may be stored. */
export class FileTooLargeError extends Error {
  override readonly name = "FileTooLargeError";

  constructor(limit: number) {
    super(`The file is larger than ${String(limit)} bytes.`);
  }
}

/** The bytes as they come; throws FileTooLargeError once there are more than `limit` of them. */
export async function* boundedBytes(
  source: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > limit) throw new FileTooLargeError(limit);
    yield chunk;
  }
}
