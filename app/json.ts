/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An empty record if the value is no record. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

const quote = 34;
const comma = 44;
const openingBracket = 91;
const backslash = 92;
const openingBrace = 123;

/**
 * Whether a JSON text has more than `most` values, counting lists, objects and everything in them. It reads each character
 * once at most, so it is far cheaper than parsing. An empty list counts as two values.
 */
export function hasMoreValues(text: string, most: number): boolean {
  let values = 1;
  let inString = false;
  for (let at = 0; at < text.length && values <= most; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === backslash) at++;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === comma || code === openingBracket || code === openingBrace) values++;
  }
  return values > most;
}
