import { StringDecoder } from "node:string_decoder";

/** A complete line, or a report that a line was too long. */
export type Line = { readonly kind: "line"; readonly text: string } | { readonly kind: "too long" };

/** Splits a stream of bytes into lines and keeps at most `mostBytes` of one. The last line needs no line break. */
export async function* linesOf(
  input: AsyncIterable<Buffer | string>,
  mostBytes: number,
): AsyncGenerator<Line> {
  let kept = "";
  let bytes = 0;
  const decoder = new StringDecoder("utf8");
  for await (const chunk of input) {
    const buffer = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    let from = 0;
    for (let end = buffer.indexOf(10); end >= 0; end = buffer.indexOf(10, from)) {
      bytes += end - from;
      if (bytes <= mostBytes) yield { kind: "line", text: kept + decoder.write(buffer.subarray(from, end)) };
      else yield { kind: "too long" };
      decoder.end();
      kept = "";
      bytes = 0;
      from = end + 1;
    }
    bytes += buffer.length - from;
    kept = bytes <= mostBytes ? kept + decoder.write(buffer.subarray(from)) : "";
  }
  if (bytes > mostBytes) yield { kind: "too long" };
  else if (kept.length > 0) yield { kind: "line", text: kept };
}
