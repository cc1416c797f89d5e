/** A text to insert into a script before the character at `at`. */
export type Insertion = { readonly at: number; readonly text: string };

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Shifts the columns of a source map's mappings by the inserted texts, which must be sorted and without line
 * breaks. Only a segment's first number, the column, changes: the other numbers do not depend on it.
 */
export function shiftMappings(mappings: string, code: string, insertions: readonly Insertion[]): string {
  let lineStart = 0;
  let next = 0;
  return mappings
    .split(";")
    .map((line) => {
      const newline = code.indexOf("\n", lineStart);
      const lineEnd = newline < 0 ? code.length : newline;
      const onLine: Insertion[] = [];
      for (; next < insertions.length && (insertions[next] as Insertion).at <= lineEnd; next += 1) {
        onLine.push(insertions[next] as Insertion);
      }
      const shifted = onLine.length === 0 ? line : shiftLine(line, lineStart, onLine);
      lineStart = lineEnd + 1;
      return shifted;
    })
    .join(";");
}

function shiftLine(line: string, lineStart: number, insertions: readonly Insertion[]): string {
  let column = 0;
  let written = 0;
  let next = 0;
  let shift = 0;
  return line
    .split(",")
    .map((segment) => {
      if (segment === "") return segment;
      const { value, length } = decode(segment);
      column += value;
      for (; next < insertions.length; next += 1) {
        const { at, text } = insertions[next] as Insertion;
        if (at - lineStart > column) break;
        shift += text.length;
      }
      const moved = encode(column + shift - written) + segment.slice(length);
      written = column + shift;
      return moved;
    })
    .join(",");
}

/** Decodes the first number of a segment, in variable-length base 64. Returns it with its length in characters. */
function decode(segment: string): { readonly value: number; readonly length: number } {
  let bits = 0;
  let length = 0;
  for (let more = true; more; length += 1) {
    const digit = digits.indexOf(segment[length] as string);
    bits |= (digit & 31) << (5 * length);
    more = (digit & 32) !== 0;
  }
  return { value: bits & 1 ? -(bits >>> 1) : bits >>> 1, length };
}

function encode(value: number): string {
  let bits = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = "";
  do {
    const digit = bits & 31;
    bits >>>= 5;
    text += digits.charAt(bits > 0 ? digit | 32 : digit);
  } while (bits > 0);
  return text;
}
