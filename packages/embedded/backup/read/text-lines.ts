import { at } from "./import-failure.ts";

type Line = { readonly number: number; readonly text: string };

/** More than any document of 1 MiB takes, even if all its characters are escaped. */
const lineBytesLimit = 16 * 1024 * 1024;

const newline = 0x0a;

/**
 * Yields the lines of a UTF-8 file that are not blank. Throws ImportFailure if a line is too long or is not
 * UTF-8.
 */
export async function* textLines(
  content: AsyncIterable<Uint8Array>,
  file: string,
  maxLineBytes = lineBytesLimit,
): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let number = 1;
  let pending: Uint8Array[] = [];
  let bytes = 0;
  const decode = (last: Uint8Array): string => {
    const whole = pending.length === 0 ? last : Buffer.concat([...pending, last]);
    pending = [];
    bytes = 0;
    try {
      return decoder.decode(whole).trim();
    } catch {
      throw at(file, number, "this is not valid UTF-8.");
    }
  };
  for await (const chunk of content) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      if (bytes + end - from > maxLineBytes) throw tooLong(file, number, maxLineBytes);
      const text = decode(chunk.subarray(from, end));
      if (text !== "") yield { number, text };
      number += 1;
      from = end + 1;
    }
    bytes += chunk.length - from;
    if (bytes > maxLineBytes) throw tooLong(file, number, maxLineBytes);
    if (from < chunk.length) pending.push(chunk.subarray(from));
  }
  const text = decode(new Uint8Array(0));
  if (text !== "") yield { number, text };
}

function tooLong(file: string, line: number, limit: number) {
  return at(file, line, `this line is longer than ${String(limit)} bytes.`);
}
