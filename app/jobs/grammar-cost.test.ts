import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { grammarRules } from "./gbnf.ts";
import { costMistake, grammarCost } from "./grammar-cost.ts";
import { parseSchema } from "./json-schema.ts";

const cost = (grammar: string): ReturnType<typeof grammarCost> => grammarCost(grammarRules(grammar));

describe("a grammar's cost", () => {
  it.each([
    ['root ::= "a"', 1],
    ['root ::= "a"? "b"? "c"?', 4],
    ['root ::= ("a" | "b") "c"', 2],
    ['root ::= "x" ("a"? | "b"?){3}', 22],
    ["root ::= .{0,500}", 2],
    ["root ::= .?{500}", 501],
  ])("%s may go on in %d ways", (grammar, stacks) => {
    expect(cost(grammar).stacks).toBe(stacks);
  });

  it.each([
    ["root ::= .{500}{500}{500}", 500 ** 3],
    ['root ::= "abc"{0,100}', 300],
  ])("%s is written out as at least %d elements", (grammar, elements) => {
    expect(cost(grammar).elements).toBeGreaterThanOrEqual(elements);
  });

  const symbol = fc.constantFrom('"ab"', "[a-z]", ".", "x", "(x | .)", '("a"? .{0,500})');
  const sign = fc.constantFrom("", "?", "*", "+", "{500}", "{0,500}", "{3,}");
  const parts = fc.array(fc.tuple(symbol, sign), { minLength: 1, maxLength: 700 });
  it("is counted in steps that grow with the grammar's length only", () => {
    fc.assert(
      fc.property(parts, (all) => {
        const grammar = `root ::= ${all.map((pair) => pair.join("")).join(" ")}\nx ::= "x"`;
        expect(cost(grammar).steps).toBeLessThanOrEqual(3 * grammar.length);
      }),
      { seed: 12, numRuns: 100 },
    );
  });

  it("is refused if too many repetitions would be written out", () => {
    expect(costMistake(grammarRules(`root ::= ${".{0,500} ".repeat(900)}`))).toMatch(/repetitions together/);
  });
});

describe("a schema's cost", () => {
  const chain = (levels: number, last: object, each: (next: object) => object): object => ({
    $ref: "#/$defs/d0",
    $defs: Object.fromEntries(
      Array.from({ length: levels + 1 }, (_, level) => [
        `d${level}`,
        level === levels ? last : each({ $ref: `#/$defs/d${level + 1}` }),
      ]),
    ),
  });

  it.each([
    [
      "20 levels of 20 choices",
      chain(19, { type: "string" }, (next) => ({ anyOf: Array(20).fill(next) })),
      /ways/,
    ],
    [
      "a definition that is its own choice",
      chain(0, { oneOf: [{ $ref: "#/$defs/d0" }] }, (next) => next),
      /itself/,
    ],
    [
      "many long texts",
      {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 200 }, (_, index) => [
            `p${index}`,
            { type: "string", maxLength: 300 + index },
          ]),
        ),
      },
      /repetitions together/,
    ],
  ])("%s are refused", (_, schema, reason) => {
    const parsed = parseSchema(schema);
    expect(parsed).toMatchObject({ kind: "refused", reason: expect.stringMatching(reason) as string });
  });
});
