import type { JSONValue } from "convex/values";

/** Deeper than any Convex value may nest (64), with room for the message around it. */
export const MAX_JSON_DEPTH = 128;

export type ParsedJson =
  { readonly kind: "ok"; readonly value: JSONValue } | { readonly kind: "invalid"; readonly reason: string };

/** Parses JSON from outside. Nesting is bounded first, so that nothing behind this can overflow its stack. */
export function parseBoundedJson(text: string, maxDepth = MAX_JSON_DEPTH): ParsedJson {
  if (nestsDeeperThan(text, maxDepth)) {
    return { kind: "invalid", reason: `JSON nested deeper than ${String(maxDepth)} levels` };
  }
  try {
    return { kind: "ok", value: JSON.parse(text) as JSONValue };
  } catch (error) {
    return { kind: "invalid", reason: error instanceof Error ? error.message : "not JSON" };
  }
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

export function nestsDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (OPENING.has(code)) {
      depth++;
      if (depth > maxDepth) return true;
    } else if (CLOSING.has(code)) depth--;
  }
  return false;
}
