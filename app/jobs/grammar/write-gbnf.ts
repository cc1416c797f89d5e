import type { Chars } from "./chars.ts";
import type { GrammarChoice, GrammarPart, GrammarRules, GrammarSequence } from "./parts.ts";

/** Writes rules in llama.cpp's notation, a line each. Their sets must not have been widened. */
export function writtenRules(rules: GrammarRules): string {
  return [...rules].map(([name, of]) => `${name} ::= ${writtenChoice(of)}`).join("\n");
}

function writtenChoice(of: GrammarChoice): string {
  return of.map(writtenSequence).join(" | ");
}

function writtenSequence(sequence: GrammarSequence): string {
  return sequence.length === 0 ? '""' : sequence.map(writtenPart).join(" ");
}

function writtenPart(part: GrammarPart): string {
  switch (part.kind) {
    case "text":
      return part.literal === null ? `[${writtenSet(part.chars)}]` : writtenLiteral(part.literal);
    case "rule":
      return part.name;
    case "choice":
      return `(${writtenChoice(part.of)})`;
    case "repeated":
      return `${writtenPart(part.part)}${writtenCounts(part)}`;
  }
}

function writtenCounts({ least, most }: Extract<GrammarPart, { kind: "repeated" }>): string {
  return `{${String(least)},${most === Infinity ? "" : String(most)}}`;
}

function writtenLiteral(literal: string): string {
  const chars = Array.from(literal, (char) =>
    /["\\]/.test(char) ? `\\${char}` : /[ -~]/.test(char) ? char : written(char.codePointAt(0) ?? 0),
  );
  return `"${chars.join("")}"`;
}

function writtenSet(chars: Chars): string {
  const ranges: string[] = [];
  for (let at = 0; at < chars.length; at += 2) {
    const [from = 0, to = 0] = chars.slice(at, at + 2);
    const last = to - 1;
    ranges.push(from === last ? written(from) : `${written(from)}-${written(last)}`);
  }
  return ranges.join("");
}

/** Letters and digits as they are, and all others by their number. */
function written(code: number): string {
  const char = String.fromCodePoint(code);
  if (/[a-zA-Z0-9]/.test(char)) return char;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
