import { describe, expect, it } from "vitest";
import { grammarCost } from "../grammar/cost.ts";
import { schemaRules } from "../grammar/schema-rules.ts";
import { writtenRules } from "../grammar/write-gbnf.ts";
import { grammarSchema } from "./checks.ts";
import { parseSchema } from "./json-schema.ts";
import { type GrammarPlan, grammarPlan } from "./leaves.ts";

function planOf(given: object): GrammarPlan {
  const parsed = parseSchema(given, { checked: true });
  if (parsed.kind === "refused") throw new Error(parsed.reason);
  return grammarPlan(parsed.schema);
}

const object = (properties: object): object => ({ type: "object", properties });

describe("the plan of a grammar", () => {
  it("puts markers in the places of patterns, formats and bounds, and equal ones share their rules", () => {
    const code = { type: "string", pattern: "^[A-Z]{3}$" };
    const plan = planOf(
      object({
        code,
        list: { type: "array", items: code },
        mail: { type: "string", format: "email" },
        n: { type: "integer", minimum: 5 },
        plain: { type: "string" },
      }),
    );
    expect(plan.schema).toMatchObject({
      properties: {
        code: { const: "marker-leaf-0" },
        list: { items: { const: "marker-leaf-0" } },
        mail: { const: "marker-leaf-1" },
        n: { const: "marker-leaf-2" },
        plain: { type: "string" },
      },
    });
    expect([...plan.markers]).toEqual([
      ["marker-leaf-0", "leaf-0"],
      ["marker-leaf-1", "leaf-1"],
      ["marker-leaf-2", "leaf-2"],
    ]);
  });

  it.each<[string, object]>([
    ["a pattern beyond the regular ones", { type: "string", pattern: "(a)\\1" }],
    ["a pattern that is too large", { type: "string", pattern: "[ab].{12}$" }],
    ["a pattern that no text matches", { type: "string", pattern: "a^" }],
    ["lengths, which the library enforces", { type: "string", minLength: 2 }],
    ["a date, which the library enforces", { type: "string", format: "date" }],
    ["a range of few integers, which become constants", { type: "integer", minimum: 1, maximum: 3 }],
    [
      "bounds that exclude each other but for a number that is not written",
      { type: "number", exclusiveMinimum: 1, exclusiveMaximum: 1.0000000000000002 },
    ],
  ])("leaves %s as it is", (_, given) => {
    const parsed = parseSchema(given, { checked: true });
    if (parsed.kind === "refused") throw new Error(parsed.reason);
    expect(grammarPlan(parsed.schema)).toEqual({
      schema: grammarSchema(parsed.schema),
      markers: new Map(),
      rules: new Map(),
    });
  });

  it("avoids markers that a constant of the schema contains", () => {
    const plan = planOf(object({ a: { const: "marker-leaf-0" }, b: { type: "number", minimum: 0 } }));
    expect(plan.schema).toMatchObject({
      properties: { a: { const: "marker-leaf-0" }, b: { const: "marker--leaf-0" } },
    });
  });

  it("leaves lengths to the check where they are too large together with a format", () => {
    const long = planOf({ type: "string", format: "ipv6", maxLength: 30 });
    expect(long.rules).toEqual(planOf({ type: "string", format: "ipv6" }).rules);
    const short = planOf({ type: "string", format: "ipv4", maxLength: 8 });
    expect(short.rules).not.toEqual(planOf({ type: "string", format: "ipv4" }).rules);
  });

  it("leaves a divisor to the check where it is too large", () => {
    const given = { type: "integer", minimum: 0, multipleOf: 977 };
    expect(planOf(given).rules).toEqual(planOf({ type: "integer", minimum: 0 }).rules);
  });

  it("has a bounded size, however many patterns a schema has", () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `p${String(index)}`,
        { type: "string", pattern: `^[a-z]{0,${String(100 + index)}}$` },
      ]),
    );
    const plan = planOf(object(many));
    expect(plan.rules.size).toBeLessThanOrEqual(1_500);
    expect(plan.markers.size).toBeGreaterThan(8);
    expect(grammarCost(schemaRules(plan.schema, plan)).elements).toBeLessThan(50_000);
    expect(writtenRules(plan.rules).length).toBeLessThan(150_000);
  });
});
