import type { JSONValue } from "convex/values";

/** Deeper than any Convex value (64 levels), with room for the message around it. */
const maxJsonDepth = 128;

export type ParsedJson =
  { readonly kind: "ok"; readonly value: JSONValue } | { readonly kind: "invalid"; readonly reason: string };

/** Parses untrusted JSON. Bounds the nesting first, so that later code cannot overflow its stack. */
export function parseBoundedJson(text: string, maxDepth = maxJsonDepth): ParsedJson {
  return nestsDeeperThan(text, maxDepth) ? tooDeep(maxDepth) : parse(text);
}

export type MeasuredJson =
  | { readonly kind: "ok"; readonly value: JSONValue; readonly memoryBytes: number }
  | { readonly kind: "invalid"; readonly reason: string }
  | { readonly kind: "too large"; readonly memoryBytes: number };

/**
 * The same for JSON whose value is kept. It first estimates the memory of the value, and refuses to parse beyond
 * `maxMemoryBytes`: two megabytes of empty arrays would take forty.
 */
export function parseMeasuredJson(text: string, maxMemoryBytes: number): MeasuredJson {
  const memoryBytes = measureJson(text, maxJsonDepth, maxMemoryBytes);
  if (memoryBytes === null) return tooDeep(maxJsonDepth);
  if (memoryBytes > maxMemoryBytes) return { kind: "too large", memoryBytes };
  const parsed = parse(text);
  return parsed.kind === "ok" ? { ...parsed, memoryBytes } : parsed;
}

/** The memory in bytes that the value of a JSON text takes at most, roughly. */
export function memoryOfJson(text: string): number {
  return measureJson(text, Infinity, Infinity) ?? 0;
}

export function nestsDeeperThan(text: string, maxDepth: number): boolean {
  return measureJson(text, maxDepth, Infinity) === null;
}

function parse(text: string): ParsedJson {
  try {
    return { kind: "ok", value: JSON.parse(text) as JSONValue };
  } catch (error) {
    // Reasons are logged. Some of V8's messages quote the text.
    const quotes = !(error instanceof Error) || error.message.endsWith("is not valid JSON");
    return { kind: "invalid", reason: quotes ? "a text that is not JSON" : error.message };
  }
}

function tooDeep(maxDepth: number) {
  return { kind: "invalid", reason: `JSON nested deeper than ${String(maxDepth)} levels` } as const;
}

const quote = 34;
const comma = 44;
const openingBracket = 91;
const backslash = 92;
const closingBracket = 93;
const openingBrace = 123;
const closingBrace = 125;
/** Strings with larger codes than this take two bytes a character in V8. */
const largestOneByteCode = 0xff;

/** V8's memory in bytes: an array or object, an element or field, and half of a string's head. */
const bytesPerOpening = 56;
const bytesPerComma = 8;
const bytesPerQuote = 10;

/**
 * The memory in bytes that the parsed text takes at most, roughly. Null if it is nested deeper than `maxDepth`. Beyond
 * `enough` it stops counting.
 */
function measureJson(text: string, maxDepth: number, enough: number): number | null {
  let depth = 0;
  let more = 0;
  let isWide = false;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === quote) inString = false;
      else if (code === backslash) at++;
      else if (code > largestOneByteCode) isWide = true;
      continue;
    }
    switch (code) {
      case quote:
        inString = true;
        more += 2 * bytesPerQuote;
        break;
      case comma:
        more += bytesPerComma;
        break;
      case openingBracket:
      case openingBrace:
        more += bytesPerOpening;
        if (more > enough) return more;
        if (++depth > maxDepth) return null;
        break;
      case closingBracket:
      case closingBrace:
        depth--;
        break;
    }
  }
  return more + text.length * (isWide ? 2 : 1);
}
