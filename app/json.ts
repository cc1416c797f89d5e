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
const closingBracket = 93;
const openingBrace = 123;
const closingBrace = 125;

export type JsonBounds = {
  /** Lists, objects and everything in them. An empty list counts as two values. */
  readonly values?: number;
  /** Lists and objects that are in each other. A text can be parsed that is too deep to be written again. */
  readonly depth?: number;
};

/**
 * Tells of which of two bounds a JSON text has more; null: of neither. It reads each character once at most, so it is far cheaper
 * than parsing.
 */
export function excessOf(
  text: string,
  { values: mostValues = Infinity, depth: mostDepth = Infinity }: JsonBounds,
): keyof JsonBounds | null {
  let values = 1;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === backslash) at++;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === comma) values++;
    else if (code === openingBracket || code === openingBrace) {
      values++;
      depth++;
      if (depth > mostDepth) return "depth";
    } else if (code === closingBracket || code === closingBrace) depth--;
    if (values > mostValues) return "values";
  }
  return values > mostValues ? "values" : null;
}
