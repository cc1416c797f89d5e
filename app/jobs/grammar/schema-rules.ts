import { recordOf } from "../../json.ts";
import { charsIn, complement, noChars } from "./chars.ts";
import { type GrammarPart, type GrammarRules, type GrammarSequence, literalText, oneOf } from "./parts.ts";

/** A parsed schema. Contains only enforced keywords and descriptions. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Our own rules for parts of a schema. `markers`: the constants in the place of these parts, with the names of their rules. */
export type OwnRules = { readonly markers: ReadonlyMap<unknown, string>; readonly rules: GrammarRules };

const noRules: OwnRules = { markers: new Map(), rules: new Map() };

/**
 * The rules of the grammar that node-llama-cpp would make of a parsed schema, as shapes for `grammarCost`. They cost
 * llama.cpp at least as much as the real ones. Source: node-llama-cpp, src/utils/gbnfJson/.
 */
export function schemaRules(schema: JsonSchema, own: OwnRules = noRules): GrammarRules {
  const rules = new SchemaRules([...commonRules, ...own.rules]);
  for (const [marker, name] of own.markers) rules.markers.set(marker, name);
  for (const [name, definition] of Object.entries(recordOf(schema["$defs"])))
    rules.set(`$defs ${name}`, [[partOf(definition, rules)]]);
  rules.set("root", [[partOf(schema, rules), literalText("\n"), any(literalText("\n"))]]);
  return rules;
}

class SchemaRules extends Map<string, readonly GrammarSequence[]> {
  readonly markers = new Map<unknown, string>();
}

const rule = (name: string): GrammarPart => ({ kind: "rule", name });
const repeated = (part: GrammarPart, least: number, most: number): GrammarPart => ({
  kind: "repeated",
  part,
  least,
  most,
});
const any = (part: GrammarPart): GrammarPart => repeated(part, 0, Infinity);
const optional = (part: GrammarPart): GrammarPart => repeated(part, 0, 1);
const group = (...of: readonly GrammarSequence[]): GrammarPart => ({ kind: "choice", of });

const nothing = oneOf(noChars, 1);
const digit = oneOf(charsIn("0123456789"), 3);
const digits = group([digit], [oneOf(charsIn("123456789"), 3), repeated(digit, 0, 15)]);
const integer: GrammarSequence = [optional(literalText("-")), digits];
const hexDigit = oneOf(charsIn("0123456789abcdefABCDEF"), 6);
const exponent = optional(group([oneOf(charsIn("eE"), 2), optional(oneOf(charsIn("+-"), 2)), digits]));
const dateSign = oneOf(charsIn('0123456789-:.TZ+"'), 3);
const indentation = optional(group([oneOf(charsIn(" "), 64)], [oneOf(charsIn("\t"), 16)]));

/** A line break and the longest indentation, or at most one blank. */
const commonRules: GrammarRules = new Map<string, readonly GrammarSequence[]>([
  ["blank", [[literalText("\n"), indentation], [optional(literalText(" "))]]],
  ["comma", [[literalText(","), rule("blank")]]],
  [
    "character",
    [
      [oneOf(complement(charsIn('"\\\n\r\t')), 8)],
      [
        literalText("\\"),
        // A character by its number: not a half of a surrogate pair. The library has two alternatives that begin with u.
        group(
          [oneOf(charsIn('"\\/bfnrt'), 8)],
          [
            literalText("u", 5),
            group(
              [oneOf(charsIn("0123456789abcefABCEF"), 10), repeated(hexDigit, 3, 3)],
              [oneOf(charsIn("dD"), 2), oneOf(charsIn("01234567"), 2), repeated(hexDigit, 2, 2)],
            ),
          ],
          [nothing],
        ),
      ],
    ],
  ],
  ["string", stringOf(0, Infinity)],
  ["number", [[...integer, optional(group([literalText("."), repeated(digit, 1, 16)])), exponent]]],
  ["integer", [[...integer, exponent]]],
  ["boolean", [[literalText("true")], [literalText("false")]]],
  ["null", [[literalText("null")]]],
  // "2024-12-31T23:59:59.999+00:00": a choice at several of its positions.
  [
    "format",
    [Array<GrammarPart>(24).fill(group([dateSign, dateSign], [dateSign, dateSign], [dateSign, dateSign]))],
  ],
  [
    "any",
    [
      ...["string", "number", "boolean", "null"].map((name) => [rule(name)]),
      listOf("[]", [], rule("any"), 0, Infinity),
      listOf("{}", [], group(field(rule("string"), rule("any"))), 0, Infinity),
    ],
  ],
]);

function partOf(schema: unknown, rules: SchemaRules): GrammarPart {
  const given = recordOf(schema);
  if (typeof given["$ref"] === "string") return rule(given["$ref"].replace("#/$defs/", "$defs "));
  if (Array.isArray(given["oneOf"])) return group(...given["oneOf"].map((each) => [partOf(each, rules)]));
  if ("const" in given) {
    const marked = rules.markers.get(given["const"]);
    return marked === undefined ? literal(given["const"]) : rule(marked);
  }
  if (Array.isArray(given["enum"])) return group(...given["enum"].map((each) => [literal(each)]));
  const types = Array.isArray(given["type"]) ? given["type"] : [given["type"]];
  return group(...types.map((type) => typed(String(type), given, rules)));
}

function typed(type: string, given: JsonSchema, rules: SchemaRules): GrammarSequence {
  switch (type) {
    case "string": {
      if ("format" in given) return [rule("format")];
      const [least, most] = boundsOf(given, "minLength", "maxLength");
      if (least === 0 && most === Infinity) return [rule("string")];
      const name = `string ${String(least)} ${String(most)}`;
      rules.set(name, stringOf(least, most));
      return [rule(name)];
    }
    case "object": {
      const fields = Object.entries(recordOf(given["properties"]));
      const other = given["additionalProperties"] ?? false;
      const [least, most] = boundsOf(given, "minProperties", "maxProperties");
      return listOf(
        "{}",
        fields.map(([name, each]) => group(field(literal(name), partOf(each, rules)))),
        other === false
          ? null
          : group(field(rule("string"), other === true ? rule("any") : partOf(other, rules))),
        least,
        most,
      );
    }
    case "array": {
      const first = Array.isArray(given["prefixItems"]) ? given["prefixItems"] : [];
      return listOf(
        "[]",
        first.map((each) => partOf(each, rules)),
        given["items"] === undefined ? rule("any") : partOf(given["items"], rules),
        ...boundsOf(given, "minItems", "maxItems"),
      );
    }
    default:
      return [rule(type)];
  }
}

/** An object or array: its first members, then others, so that there are `least` to `most` in all. */
function listOf(
  brackets: "[]" | "{}",
  first: readonly GrammarPart[],
  others: GrammarPart | null,
  least: number,
  most: number,
): GrammarSequence {
  const members = first.flatMap((each, index) => (index === 0 ? [each] : [rule("comma"), each]));
  if (others !== null) {
    const rest = repeated(
      group([rule("comma"), others]),
      Math.max(0, least - first.length),
      Math.max(0, most - first.length, least - first.length),
    );
    members.push(...(first.length > 0 ? [rest] : [others, rest]));
  }
  const [open, close] = [literalText(brackets.charAt(0)), literalText(brackets.charAt(1))];
  // In the library, an empty list has two blanks, and a space may be in either. That is over at the next character, so it
  // counts as two beginnings that read nothing.
  const inside = group([...members, rule("blank")], [nothing], [nothing]);
  return [open, rule("blank"), first.length > 0 ? inside : optional(inside), close];
}

function field(name: GrammarPart, value: GrammarPart): GrammarSequence {
  return [name, literalText(":"), optional(literalText(" ")), value];
}

function stringOf(least: number, most: number): readonly GrammarSequence[] {
  return [[literalText('"'), repeated(rule("character"), least, most), literalText('"')]];
}

function literal(value: unknown): GrammarPart {
  const json = JSON.stringify(value);
  return literalText(json, json.length + 2);
}

/** As the library reads them: a maximum below the minimum counts as the minimum. */
function boundsOf(given: JsonSchema, leastName: string, mostName: string): readonly [number, number] {
  const least = Number(given[leastName] ?? 0);
  return [least, Math.max(least, Number(given[mostName] ?? Infinity))];
}
