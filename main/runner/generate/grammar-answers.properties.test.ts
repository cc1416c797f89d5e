import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { getLlama, type Llama } from "node-llama-cpp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { holdsSchema, mayHoldSchema } from "../../../app/jobs/answers/schema-check.ts";
import { needsCheck } from "../../../app/jobs/schema/checks.ts";
import { parseSchema } from "../../../app/jobs/schema/json-schema.ts";
import { samplerOf } from "./grammar-sample.fixture.ts";
import { grammarOf } from "./grammars.ts";

const few = fc.integer({ min: 0, max: 4 });
const names = fc.constantFrom("a", "b", "kind", '"', "ä");
const scalar = fc.constantFrom<unknown>("a", "bc", "", 0, 1, 1.5, -3, true, null);
const number = fc.constantFrom(-3, 0, 0.5, 4);
const type = fc.constantFrom("string", "number", "integer", "boolean", "null");

/** Keywords that may contradict each other. */
const keywords = (inner: fc.Arbitrary<object>) =>
  fc.record(
    {
      type: fc.oneof(
        type,
        fc.constantFrom("object", "array"),
        fc.uniqueArray(type, { minLength: 1, maxLength: 3 }),
      ),
      const: scalar,
      enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
      minLength: few,
      maxLength: few,
      format: fc.constantFrom("date", "time", "date-time"),
      properties: fc.dictionary(names, inner, { maxKeys: 3, noNullPrototype: true }),
      required: fc.uniqueArray(names, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), inner),
      minProperties: few,
      maxProperties: few,
      items: inner,
      prefixItems: fc.array(inner, { minLength: 1, maxLength: 3 }),
      minItems: few,
      maxItems: few,
      oneOf: fc.array(inner, { minLength: 1, maxLength: 3 }),
      anyOf: fc.array(inner, { minLength: 1, maxLength: 3 }),
      allOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
      minimum: number,
      exclusiveMaximum: number,
      multipleOf: fc.constantFrom(1, 2, 0.5),
      pattern: fc.constantFrom("^a", "b|c", "^.?$"),
      uniqueItems: fc.boolean(),
    },
    { requiredKeys: [] },
  );

const own: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "format", "pattern"],
  number: ["minimum", "exclusiveMaximum", "multipleOf"],
  integer: ["minimum", "exclusiveMaximum"],
  object: ["properties", "additionalProperties", "minProperties", "maxProperties"],
  array: ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"],
};

/** Mostly the keywords of one kind of schema, so that many are accepted. */
function oneKind(all: object, kind: string, extra: string): object {
  const kept = kind in own ? ["type", ...(own[kind] ?? [])] : [kind];
  const chosen = Object.entries({ ...all, ...(kind in own ? { type: kind } : {}) }).filter(
    ([name]) => kept.includes(name) || name === extra,
  );
  return Object.fromEntries(chosen);
}

const kinds = [...Object.keys(own), "type", "const", "enum", "oneOf", "anyOf", "allOf"];
const { schema } = fc.letrec<{ inner: object; schema: object }>((tie) => ({
  inner: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom<object>(
      { type: "string" },
      { type: "integer" },
      { const: "a" },
      { $ref: "#/$defs/d" },
      {},
    ),
    fc
      .tuple(
        keywords(tie("inner")),
        fc.constantFrom(...kinds),
        fc.constantFrom("", "", "type", "maxLength", "required", "minimum", "allOf"),
      )
      .map(([all, kind, extra]) => oneKind(all, kind, extra)),
  ),
  schema: fc.tuple(tie("inner"), tie("inner")).map(([top, d]) => ({ ...top, $defs: { d } })),
}));

let llama: Llama;
beforeAll(async () => {
  llama = await getLlama({ gpu: false, build: "never" });
});
afterAll(() => llama.dispose());

it.each([
  [false, "every answer that the grammar of an accepted schema allows is valid under the schema"],
  [true, "every answer that also holds the checked keywords of a strict schema is valid under the schema"],
])(
  "(checked: %s) %s, and so is its beginning",
  async (checked) => {
    const counts = { held: 0, refused: 0 };
    const property = fc.asyncProperty(schema, fc.infiniteStream(fc.nat()), async (given, numbers) => {
      const parsed = parseSchema(given, { checked });
      fc.pre(parsed.kind === "ok");
      fc.pre(!checked || needsCheck(JSON.stringify(parsed.schema)));
      const enforced = await grammarOf(llama, { kind: "json-schema", schema: JSON.stringify(parsed.schema) });
      fc.pre(enforced !== null);
      const sample = samplerOf(enforced.grammar.grammar);
      const isValid = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 9 }).compile(
        given,
      );
      for (let round = 0; round < 5; round += 1) {
        const text = sample((below) => numbers.next().value % below);
        const value: unknown = JSON.parse(text);
        const isHeld = holdsSchema(parsed.schema, value, { patterns: true });
        counts[isHeld ? "held" : "refused"] += 1;
        if (isHeld && !isValid(value)) throw new Error(`${JSON.stringify(given)} allowed ${text.trim()}`);
        const characters = Array.from(text);
        for (let length = 0; length <= Math.min(characters.length, 300); length += 1) {
          const cut = characters.slice(0, length).join("");
          if (!mayHoldSchema(parsed.schema, cut)) throw new Error(`${JSON.stringify(given)} refused ${cut}`);
          // The last character may be there in part.
          expect(mayHoldSchema(parsed.schema, cut.replace(/[^\0-\x7f]$/u, "\uFFFD"))).toBe(true);
        }
      }
    });
    await fc.assert(property, { seed: 7, numRuns: 200, maxSkipsPerRun: 50 });
    expect(counts.held + counts.refused).toBe(1_000);
    if (checked) expect(Math.min(counts.held, counts.refused)).toBeGreaterThan(100);
    else expect(counts.refused).toBe(0);
  },
  120_000,
);

it.each<[object, (value: unknown) => boolean]>([
  [{ type: "string" }, (value) => !/\p{Surrogate}/u.test(String(value))],
  [{ type: "string", minLength: 2, maxLength: 2 }, (value) => Array.from(String(value)).length === 2],
  [{ type: "number" }, (value) => Number.isFinite(value)],
  [{ type: "integer" }, (value) => Number.isInteger(value)],
])(
  "every answer under %j has whole characters, and numbers that programs can read",
  async (given, isRight) => {
    const enforced = await grammarOf(llama, { kind: "json-schema", schema: JSON.stringify(given) });
    const sample = samplerOf(enforced?.grammar.grammar ?? "");
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (numbers) => {
        const value: unknown = JSON.parse(sample((below) => numbers.next().value % below));
        expect(isRight(value)).toBe(true);
      }),
      { seed: 7, numRuns: 500 },
    );
  },
);
