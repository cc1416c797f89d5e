import { describe, expect, it } from "vitest";
import { grammarLimits, grammarMistake } from "./gbnf.ts";

/** Each rule is the next one twice, and the last one may be empty. */
function doubled(depth: number): string {
  const rules = Array.from({ length: depth }, (_, at) => `r${at} ::= r${at + 1} r${at + 1}`);
  return ["root ::= r0", ...rules, `r${depth} ::= "a"?`].join("\n");
}

describe("grammarMistake", () => {
  it.each([
    'root ::= "a"',
    'root ::= "a" | "b" # a comment\n',
    '# first\n\nroot ::= (x "," )* x\nx ::= [a-z0-9-]+ | [^"\\\\\\n] "\\"" "\\x41\\u00e9"',
    "root ::= [0-9]{2} [0-9]{1,3} [0-9]{2,}",
    "root ::= (\n  list-item\n)+\nlist-item ::= . \r\n",
    'root ::= a\na ::= "b"? |\n "c"',
    // Rules that refer to themselves after a character, many optional parts, and many repetitions.
    'root ::= "(" root ")" | value\nvalue ::= [0-9]+ ("," value)?',
    `root ::= ${Array.from({ length: 26 }, (_, at) => `"${String.fromCharCode(97 + at)}"?`).join(" ")}`,
    'root ::= [a-z]{0,500} ("-" [a-z]{1,500})*',
  ])("finds no mistake in the grammar %j", (grammar) => {
    expect(grammarMistake(grammar)).toBeNull();
  });

  it.each([
    ["", /no rule named root/],
    ['rot ::= "a"', /no rule named root/],
    ["root ::= (", /missing/],
    ['root ::= "a', /" is missing \(line 1\)/],
    ["root ::= [a", /] is missing/],
    ["root ::= other", /does not define/],
    ['root = "a"', /::= is missing/],
    ["root ::= *", /nothing to repeat/],
    ['root ::= root "a" | "b"', /begins with itself/],
    ['root ::= a? root\na ::= "b"', /begins with itself/],
    ['root ::= ("a"?)*', /repeats something that may be empty/],
    ['root ::= ("a"? | "b"?){2,} "c"', /repeats something that may be empty/],
    [doubled(25), /too many ways/],
    [`root ::= "x" ${'("a"? | "b"?) '.repeat(30)}`, /too many ways/],
    // Each next character multiplies the ways to read the same text.
    [`root ::= ${'"a"? '.repeat(100)}`, /read in too many ways/],
    [
      'root ::= a{0,400} "z"\na ::= ([a-z ]|[a-z ][a-z ]|[a-z ]{4}|[a-z ]{2}[a-z ]){0,20}',
      /read in too many ways/,
    ],
    ["root ::= a{1,500}\na ::= b{1,500}\nb ::= [a-z]{1,500}", /read in too many ways/],
    ["root ::= ([a-z] | [b-z] | [c-z])*", /read in too many ways/],
    [`root ::= ${"[a-z ]{0,500} ".repeat(19)}"z"`, /read in too many ways/],
    ['root ::= "a" root "x" | "a" root "y" | "a" root "z" | "b"', /read in too many ways/],
    [`root ::= "a"${"?".repeat(grammarLimits.depth + 1)}`, /deeply/],
    ['root ::= "a"{9999}', /at most 500/],
    ['root ::= "a"{3,2}', /larger number in/],
    ['root ::= "a"{x}', /one number or two/],
    ['root ::= "\\q"', /escape/],
    ['root ::= "\\u12"', /escape/],
    ['root ::= "a" )', /end of a line/],
    ['root ::= "\0"', /well-formed/],
    [`root ::= ${"(".repeat(grammarLimits.depth + 1)}`, /deeply/],
    [`root ::= "${"a".repeat(grammarLimits.chars)}"`, /longer/],
    [
      Array.from({ length: grammarLimits.rules + 1 }, (_, index) => `r${index} ::= "a"`).join("\n"),
      /more than 300 rules/,
    ],
    [`root ::= ${'"a" '.repeat(grammarLimits.parts + 1)}`, /more than 1000 parts/],
  ])("finds the mistake in the grammar %j", (grammar, mistake) => {
    expect(grammarMistake(grammar)).toMatch(mistake);
  });

  it("does not quote the grammar in the message", () => {
    expect(grammarMistake('root ::= "secret')).not.toContain("secret");
    expect(grammarMistake("root ::= secret")).not.toContain("secret");
  });
});
