import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSchema } from "../schema/json-schema.ts";
import { mostReadings } from "./choice-steps.ts";
import { costMistake, grammarCost } from "./cost.ts";
import { grammarRules } from "./gbnf.ts";

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
  const parts = fc.array(fc.tuple(symbol, sign), { minLength: 1, maxLength: 300 });
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
    expect(costMistake(grammarRules(`root ::= ${".{0,500} ".repeat(900)}`), "grammar")).toMatch(
      /repetitions together/,
    );
  });
});

describe("the readings of a grammar", () => {
  // As in llama.cpp's own examples.
  const ws = String.raw`ws ::= | " " | "\n" [ \t]{0,20}`;
  it.each([
    [
      "JSON",
      String.raw`root ::= object
value ::= object | array | string | number | ("true" | "false" | "null") ws
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? "}" ws
array ::= "[" ws (value ("," ws value)*)? "]" ws
string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}))* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
${ws}`,
    ],
    [
      "arithmetic",
      String.raw`root ::= (expr "=" ws term "\n")+
expr ::= term ([-+*/] term)*
term ::= ident | num | "(" ws expr ")" ws
ident ::= [a-z] [a-z0-9_]* ws
num ::= [0-9]+ ws
ws ::= [ \t\n]*`,
    ],
    [
      "chess",
      String.raw`root ::= "1. " move " " move "\n" ([1-9] [0-9]? ". " move " " move "\n")+
move ::= (pawn | nonpawn | castle) [+#]?
nonpawn ::= [NBKQR] [a-h]? [1-8]? "x"? [a-h] [1-8]
pawn ::= ([a-h] "x")? [a-h] [1-8] ("=" [NBKQR])?
castle ::= "O-O" "-O"?`,
    ],
    ["Japanese", "root ::= c+ ([ \\t\\n] c+)*\nc ::= [ぁ-ゟ] | [ァ-ヿ] | [、-〾] | [一-鿿]"],
    ["a list", 'root ::= item+\nitem ::= "- " [^\\n]+ "\\n"'],
    ["words", 'root ::= ([a-z]+ " "?)+ "."'],
    [
      "many values",
      `root ::= "[" e ("," e)* "]"\ne ::= ${Array.from({ length: 600 }, (_, at) => `"\\"${at.toString(36)}\\""`).join(" | ")}`,
    ],
    ["a date", 'root ::= [0-9]{4} "-"? [0-9]{2} "-"? [0-9]{2}'],
    ["a path", 'root ::= ("/" [^/]*)+ ("?" [^#]*)?'],
    ["nested lists", 'root ::= "[" (root ("," " "? root)*)? "]" | [0-9]+'],
    ["a tree", 'root ::= node\nnode ::= [a-z]+ ("(" node ("," node)* ")")?'],
    [
      "statements",
      String.raw`root ::= statement+
statement ::= name " = " sum ";\n" | "if " sum ": " statement ("else: " statement)? | "{ " statement+ "}\n"
sum ::= term (" + " term)*
term ::= name | [0-9]+ | "-" term | "(" sum ")"
name ::= [a-z] [a-z0-9]{0,20}`,
    ],
    ["a list by recursion", 'root ::= item "," root | item\nitem ::= [a-z]+ (" " [a-z]+)*'],
  ])("of %s are few enough", (_, grammar) => {
    expect(costMistake(grammarRules(grammar), "grammar")).toBeNull();
  });

  /** Names of names: each rule is the next one, in the given order. */
  const aliases = (order: readonly number[], last: string): string =>
    order.map((at) => `r${at} ::= ${at === order.length - 1 ? last : `r${at + 1}`}`).join("\n");
  const scrambled = Array.from({ length: 31 }, (_, at) => (at * 12) % 31);

  it.each([
    ["forwards", Array.from({ length: 30 }, (_, at) => at)],
    ["backwards", Array.from({ length: 30 }, (_, at) => 29 - at)],
    ["in any order", scrambled],
  ])("are found through rules that only name others, %s", (_, order) => {
    const grammar = `root ::= ((r0)+ x)+\nx ::= (r0)+\n${aliases(order, "[a-z]+")}`;
    expect(costMistake(grammarRules(grammar), "grammar")).toMatch(/too many ways/);
  });

  it.each([
    ["forwards", Array.from({ length: 30 }, (_, at) => at)],
    ["backwards", Array.from({ length: 30 }, (_, at) => 29 - at)],
  ])("stay few through rules that only name others, %s", (_, order) => {
    const grammar = `root ::= (r0 "," r0)+\n${aliases(order, "[a-z]+")}`;
    expect(costMistake(grammarRules(grammar), "grammar")).toBeNull();
  });

  const nested = (levels: number, each: (inner: string) => string): string =>
    Array.from({ length: levels }).reduce<string>(each, '"z"');
  const calls = (levels: number, begin: string, end: string): string =>
    Array.from({ length: levels }, (_, at) => `r${at} ::= ${begin} r${at + 1} ${end}`).join("\n");
  const long = '"a longer text than any token"';
  it.each([
    ["of rules", `root ::= r0\n${calls(19, long, "[a-z ]{0,500}")}\nr19 ::= "z"`],
    ["of rules with short texts", `root ::= r0 "."\n${calls(60, '"a"', '"xx"?')}\nr60 ::= "z"`],
    ["of a rule in itself", `root ::= r "."\nr ::= ${long} r [a-z ]{0,500} | "z"`],
    [
      "of a rule in itself by way of others",
      `root ::= r "."\nr ::= a\na ::= ${long} b "xx"? | "z"\nb ::= r | c\nc ::= ${long} r`,
    ],
    ["of groups", `root ::= ${nested(19, (inner) => `(${long} ${inner} [a-z ]{0,500})`)}`],
    ["of repetitions", `root ::= ${nested(19, (inner) => `(${long} ${inner} [a-z ]{0,500})?`)} "."`],
  ])("are counted beyond the end %s", (_, grammar) => {
    expect(costMistake(grammarRules(grammar), "grammar")).toMatch(/read in too many ways/);
  });

  it("grow with each character if alternatives share it", () => {
    const alternatives = (count: number) => Array<string>(count).fill("[a-z]").join(" | ");
    const [one, two, three] = [1, 2, 3].map((count) =>
      [...mostReadings(grammarRules(`root ::= (${alternatives(count)})* "Z"`))].map((most) =>
        Math.log2(most),
      ),
    );
    expect(one?.at(-1)).toBeLessThan(3);
    expect(two?.at(-1)).toBeGreaterThan(16);
    expect(three?.at(-1)).toBeGreaterThan(16 * Math.log2(3));
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
      "a definition that is a choice of lists of itself",
      chain(
        0,
        {
          anyOf: Array.from({ length: 20 }, (_, minItems) => ({
            type: "array",
            items: { $ref: "#/$defs/d0" },
            minItems,
          })),
        },
        (next) => next,
      ),
      /too many ways/,
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
