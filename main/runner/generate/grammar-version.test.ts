import { createHash } from "node:crypto";
import { getLlama } from "node-llama-cpp";
import { expect, it } from "vitest";
import { grammarTag } from "../../../app/grammar-version.ts";
import { canaryGrammars } from "../../../app/trust/canary-forms.ts";
import { grammarOf } from "./grammars.ts";
import { planOfSchema } from "./plans.ts";
import { argumentsGrammar, nameGrammar } from "./tool-call.ts";

/** Schemas with each kind of rule that a grammar enforces. */
const schemas: readonly object[] = [
  { type: "object", additionalProperties: true },
  {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, maxLength: 40 },
      code: { type: "string", pattern: "^[A-Z]{2}-\\d{3}$" },
      mail: { type: "string", format: "email" },
      day: { type: "string", format: "date" },
      id: { type: "string", format: "uuid" },
      count: { type: "integer", minimum: 1, maximum: 250 },
      share: { type: "number", minimum: 0, maximum: 1 },
      step: { type: "integer", multipleOf: 5 },
      role: { enum: ["admin", "user", null, 3] },
      kind: { const: "order" },
    },
    required: ["name", "code", "count"],
    additionalProperties: false,
  },
  {
    type: "array",
    minItems: 1,
    maxItems: 3,
    items: { type: "object", properties: { next: { type: "array", items: { type: "null" } } } },
  },
  {
    anyOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { type: "object", properties: { b: { type: "integer", exclusiveMinimum: 0 } }, required: ["b"] },
      { type: "null" },
    ],
  },
  { type: "object", additionalProperties: { type: "integer" } },
];

/** Of version 1. Write it anew together with a new version. */
const known = { tag: "grammar:1", plans: "eada1811390cdcf0" };

it("the version of the grammars changes with them", () => {
  const plans = schemas.map((schema) => planOfSchema(JSON.stringify(schema)));
  expect(plans.map((plan) => plan !== null)).toEqual(schemas.map(() => true));
  const text = JSON.stringify(plans, (_, value: unknown) => (value instanceof Map ? [...value] : value));
  expect({ tag: grammarTag, plans: hashOf(text) }).toEqual(known);
});

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** A device with another version reads these answers and may accuse their devices. */
const knownCanaries = "ea6e0363da5558b4";

// If they allow other texts from now on, give canaries other forms: app/trust/canary-forms.ts. If only their spelling changed, write this anew.
it("the grammars of canaries do not change with versions", async () => {
  const llama = await getLlama({ gpu: false, build: "never" });
  const { tools, formats } = canaryGrammars;
  const enforced = [
    await nameGrammar(llama, tools),
    ...(await Promise.all(tools.map(async (tool) => await argumentsGrammar(llama, tool)))),
    ...(await Promise.all(formats.map(async (format) => await grammarOf(llama, format)))),
  ];
  const texts = enforced.map((each) => each?.grammar.grammar ?? null);
  await llama.dispose();
  expect(texts).not.toContain(null);
  expect(hashOf(JSON.stringify(texts))).toBe(knownCanaries);
});
