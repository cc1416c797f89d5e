import type { Comment, Literal, TaggedTemplateExpression } from "acorn";
import type { Insertion } from "./loop-ticks-map.ts";

/*
 * A text with one character beyond Latin-1 takes twice the memory, and all functions are one text. esbuild escapes such
 * characters, but not in comments, regular expressions and tagged templates.
 */

/** A text that takes the place of another one of the same length. */
export type Replacement = { readonly from: number; readonly text: string };

/** A character that becomes several. */
type Escape = { readonly replacement: Replacement; readonly insertion: Insertion };

const beyond = /[^\0-\xff]/g;

/** Replaces all such characters in comments, except line breaks. */
export function plainComments(code: string, comments: readonly Comment[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of comments) {
    parts.push(code.slice(from, start), code.slice(start, end).replace(/[^\0-\xff\u2028\u2029]/g, "?"));
    from = end;
  }
  return parts.join("") + code.slice(from);
}

/** Escapes the characters of a regular expression. */
export function escapesOfPattern({ start, end, regex }: Literal, code: string): readonly Escape[] {
  if (regex == null) return [];
  return placesIn(code, start, end).map((at) => {
    const isEscaped = isAfterBackslash(code, at);
    return escapeAt(at, isEscaped ? "u" : "\\", `${isEscaped ? "" : "u"}${hexAt(code, at)}`);
  });
}

/** The same for a template of `String.raw`. Other tags would notice. */
export function escapesOfTemplate({ tag, quasi }: TaggedTemplateExpression, code: string): readonly Escape[] {
  if (code.slice(tag.start, tag.end) !== "String.raw") return [];
  return quasi.quasis
    .flatMap(({ start, end }) => placesIn(code, start, end))
    .filter((at) => !isAfterBackslash(code, at))
    .map((at) => escapeAt(at, "$", `{"\\u${hexAt(code, at)}"}`));
}

function placesIn(code: string, start: number, end: number): readonly number[] {
  return Array.from(code.slice(start, end).matchAll(beyond), ({ index }) => start + index);
}

function isAfterBackslash(code: string, at: number): boolean {
  const [backslashes = ""] = /\\*$/.exec(code.slice(0, at)) ?? [];
  return backslashes.length % 2 === 1;
}

function hexAt(code: string, at: number): string {
  return code.charCodeAt(at).toString(16).padStart(4, "0");
}

function escapeAt(at: number, text: string, rest: string): Escape {
  return { replacement: { from: at, text }, insertion: { at: at + 1, text: rest } };
}
