import type { GrammarPart, GrammarRules, GrammarSequence } from "./grammar-cost.ts";

/** A parsed schema. Contains only enforced keywords and descriptions. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The rules of the grammar that node-llama-cpp would make of a parsed schema, as shapes for `grammarCost`. They cost
 * llama.cpp at least as much as the real ones. Source: node-llama-cpp, src/utils/gbnfJson/.
 */
export function schemaRules(schema: JsonSchema): GrammarRules {
  const rules = new Map(commonRules);
  for (const [name, definition] of Object.entries(mapOf(schema["$defs"])))
    rules.set(`$defs ${name}`, [[partOf(definition, rules)]]);
  rules.set("root", [[partOf(schema, rules), text(1), any(text(1))]]);
  return rules;
}

type Rules = Map<string, readonly GrammarSequence[]>;

const text = (elements: number): GrammarPart => ({ kind: "text", elements });
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

const digits = group([text(1)], [text(3), repeated(text(3), 0, 15)]);
const integer: GrammarSequence = [optional(text(1)), digits];
const exponent = optional(group([text(2), optional(text(2)), digits]));

/** A line break and the longest indentation, or at most one blank. */
const commonRules: GrammarRules = new Map<string, readonly GrammarSequence[]>([
  ["blank", [[text(1), text(64)], [text(1), text(64)], [optional(text(1))]]],
  ["comma", [[text(1), rule("blank")]]],
  [
    "character",
    [
      [text(8)],
      [
        text(1),
        group(
          [text(8)],
          [text(1), text(10), repeated(text(6), 3, 3)],
          [text(5), text(2), repeated(text(6), 2, 2)],
        ),
      ],
    ],
  ],
  ["string", stringOf(0, Infinity)],
  ["number", [[...integer, optional(group([text(1), repeated(text(3), 1, 16)])), exponent]]],
  ["integer", [[...integer, exponent]]],
  ["boolean", [[text(4)], [text(5)]]],
  ["null", [[text(4)]]],
  // "2024-12-31T23:59:59.999+00:00": a choice at several of its positions.
  [
    "format",
    [Array<GrammarPart>(24).fill(group([text(3), text(3)], [text(3), text(3)], [text(3), text(3)]))],
  ],
  [
    "any",
    [
      ...["string", "number", "boolean", "null"].map((name) => [rule(name)]),
      listOf([], rule("any"), 0, Infinity),
      listOf([], group(field(rule("string"), rule("any"))), 0, Infinity),
    ],
  ],
]);

function partOf(schema: unknown, rules: Rules): GrammarPart {
  const given = mapOf(schema);
  if (typeof given["$ref"] === "string") return rule(given["$ref"].replace("#/$defs/", "$defs "));
  if (Array.isArray(given["oneOf"])) return group(...given["oneOf"].map((each) => [partOf(each, rules)]));
  if ("const" in given) return literal(given["const"]);
  if (Array.isArray(given["enum"])) return group(...given["enum"].map((each) => [literal(each)]));
  const types = Array.isArray(given["type"]) ? given["type"] : [given["type"]];
  return group(...types.map((type) => typed(String(type), given, rules)));
}

function typed(type: string, given: JsonSchema, rules: Rules): GrammarSequence {
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
      const fields = Object.entries(mapOf(given["properties"]));
      const other = given["additionalProperties"] ?? false;
      const [least, most] = boundsOf(given, "minProperties", "maxProperties");
      return listOf(
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
    members.push(first.length > 0 ? rest : optional(group([others, rest])));
  }
  return [text(1), rule("blank"), ...members, rule("blank"), text(1)];
}

function field(name: GrammarPart, value: GrammarPart): GrammarSequence {
  return [name, text(1), optional(text(1)), value];
}

function stringOf(least: number, most: number): readonly GrammarSequence[] {
  return [[text(1), repeated(rule("character"), least, most), text(1)]];
}

function literal(value: unknown): GrammarPart {
  return text(JSON.stringify(value).length + 2);
}

/** As the library reads them: a maximum below the minimum counts as the minimum. */
function boundsOf(given: JsonSchema, leastName: string, mostName: string): readonly [number, number] {
  const least = Number(given[leastName] ?? 0);
  return [least, Math.max(least, Number(given[mostName] ?? Infinity))];
}

function mapOf(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null ? (value as JsonSchema) : {};
}
