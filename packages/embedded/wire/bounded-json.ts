import type { JSONValue } from "convex/values";

/** Deeper than any Convex value (64 levels), with room for the message around it. */
const maxJsonDepth = 128;

export type ParsedJson =
  { readonly kind: "ok"; readonly value: JSONValue } | { readonly kind: "invalid"; readonly reason: string };

/** Parses untrusted JSON. Bounds the nesting first, so that later code cannot overflow its stack. */
export function parseBoundedJson(text: string, maxDepth = maxJsonDepth): ParsedJson {
  if (nestsDeeperThan(text, maxDepth)) {
    return { kind: "invalid", reason: `JSON nested deeper than ${String(maxDepth)} levels` };
  }
  try {
    return { kind: "ok", value: JSON.parse(text) as JSONValue };
  } catch (error) {
    return { kind: "invalid", reason: error instanceof Error ? error.message : "not JSON" };
  }
}

const quote = 34;
const backslash = 92;
const opening = new Set([91, 123]);
const closing = new Set([93, 125]);

export function nestsDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === backslash) at++;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (opening.has(code)) {
      depth++;
      if (depth > maxDepth) return true;
    } else if (closing.has(code)) depth--;
  }
  return false;
}
