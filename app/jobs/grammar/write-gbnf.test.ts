import { expect, it } from "vitest";
import { grammarRules } from "./gbnf.ts";
import { type GrammarRules, literalText, oneOf } from "./parts.ts";
import { writtenRules } from "./write-gbnf.ts";

it("writes rules that read as they were", () => {
  const set = oneOf([0x22, 0x23, 0x5b, 0x5e, 0x61, 0x7b, 0xe9, 0xea, 0x2028, 0x202a, 0x1_f426, 0x1_f429], 12);
  const rules: GrammarRules = new Map([
    ["root", [[literalText('"\\é'), { kind: "rule", name: "a-0" }], []]],
    [
      "a-0",
      [
        [set, { kind: "choice", of: [[literalText("u00")], [set]] }],
        [
          { kind: "repeated", part: set, least: 2, most: 3 },
          { kind: "repeated", part: set, least: 1, most: Infinity },
        ],
      ],
    ],
  ]);
  const text = writtenRules(rules);
  expect(text.split("\n")).toEqual([
    'root ::= "\\"\\\\\\xE9" a-0 | ""',
    expect.stringContaining("a-0 ::= [\\x22\\x5B-\\x5Da-z\\xE9\\u2028-\\u2029\\U0001F426-\\U0001F428] ("),
  ]);
  const withoutSizes = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, each: unknown) =>
        key === "elements" ? undefined : each === Infinity ? "∞" : each,
      ),
    );
  expect(withoutSizes([...grammarRules(text)])).toEqual(withoutSizes([...rules]));
});
