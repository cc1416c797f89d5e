import { describe, expect, it } from "vitest";
import { grammarLimits, grammarMistake } from "./gbnf.ts";

describe("grammarMistake", () => {
  it.each([
    'root ::= "a"',
    'root ::= "a" | "b" # a comment\n',
    '# first\n\nroot ::= (x "," )* x\nx ::= [a-z0-9-]+ | [^"\\\\\\n] "\\"" "\\x41\\u00e9"',
    "root ::= [0-9]{2} [0-9]{1,3} [0-9]{2,}",
    "root ::= (\n  list-item\n)+\nlist-item ::= . \r\n",
    'root ::= a\na ::= "b"? |\n "c"',
  ])("finds none in %j", (grammar) => {
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
    ['root ::= "a"{9999}', /at most 500/],
    ['root ::= "a"{3,2}', /larger number first/],
    ['root ::= "a"{x}', /one number or two/],
    ['root ::= "\\q"', /escape/],
    ['root ::= "\\u12"', /escape/],
    ['root ::= "a" )', /end with its line/],
    ['root ::= "\0"', /well-formed/],
    [`root ::= ${"(".repeat(grammarLimits.depth + 1)}`, /deeply/],
    [`root ::= "${"a".repeat(grammarLimits.chars)}"`, /longer/],
    [
      Array.from({ length: grammarLimits.rules + 1 }, (_, index) => `r${index} ::= "a"`).join("\n"),
      /more than 300 rules/,
    ],
  ])("finds what is wrong with %j", (grammar, mistake) => {
    expect(grammarMistake(grammar)).toMatch(mistake);
  });

  it("says nothing of what the grammar says", () => {
    expect(grammarMistake('root ::= "secret')).not.toContain("secret");
    expect(grammarMistake("root ::= secret")).not.toContain("secret");
  });
});
