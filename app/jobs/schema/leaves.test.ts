import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { grammarCost } from "../grammar/cost.ts";
import { schemaRules } from "../grammar/schema-rules.ts";
import { writtenRules } from "../grammar/write-gbnf.ts";
import { PatternMachine } from "../patterns/machines.ts";
import { mostWork, Work } from "../patterns/work.ts";
import { grammarSchema } from "./checks.ts";
import { parseSchema } from "./json-schema.ts";
import { type GrammarPlan, grammarPlan } from "./leaves.ts";

function planOf(given: object, work?: Work): GrammarPlan {
  const parsed = parseSchema(given, { checked: true });
  if (parsed.kind === "refused") throw new Error(parsed.reason);
  return grammarPlan(parsed.schema, work);
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

/** Properties, each with a pattern. */
function patterns(count: number, patternOf: (index: number) => string): object {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `p${String(index)}`,
      { type: "string", pattern: patternOf(index) },
    ]),
  );
}

const lookaheads = Array.from({ length: 40 }, (_, index) => `(?!.*a.{${String(index)}}$)`).join("");

const hostile: readonly (readonly [string, object])[] = [
  ["many patterns of too many states", patterns(380, (index) => `a.{${String(20 + index)}}$`)],
  ["many lookaheads in many patterns", patterns(44, (index) => `^${lookaheads}.*${String(index)}$`)],
  ["many lookaheads in one pattern", patterns(1, () => `^${lookaheads}.*1$`)],
  [
    "many bounds with a divisor",
    Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `n${String(index)}`,
        { type: "number", exclusiveMinimum: index + 0.123456789, maximum: 1e9 + index, multipleOf: 0.37 },
      ]),
    ),
  ],
];

describe("the work for a plan", () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each(hostile)("is bounded for %s", (_, properties) => {
    const step = vi.spyOn(PatternMachine.prototype, "step");
    const work = new Work();
    const plan = planOf(object(properties), work);
    expect(plan.markers.size).toBe(0);
    expect(step.mock.calls.length).toBeLessThan(mostWork);
    expect(work.left).toBeGreaterThanOrEqual(0);
    expect(work.left).toBeLessThan(mostWork);
  });

  it("is little for a part after the work of all is used up", () => {
    const work = new Work();
    planOf(object(patterns(380, (index) => `a.{${String(20 + index)}}$`)), work);
    const step = vi.spyOn(PatternMachine.prototype, "step");
    expect(planOf({ type: "string", pattern: "^[A-Z]{3}$" }, work).markers.size).toBe(0);
    expect(step).not.toHaveBeenCalled();
  });

  it.each<[string, readonly string[]]>([
    ["patterns of too many states", ["^(?:.{0,500}a){0,500}$", "[ab].{12}$", "[cd].{12}$"]],
    ["many lookaheads", [`^${lookaheads}.*1$`, "a.{30}$"]],
  ])("is left for ordinary parts beside %s", (_, wild) => {
    const plan = planOf(
      object({
        ...patterns(wild.length, (index) => wild[index] ?? ""),
        code: { type: "string", pattern: "^[A-Z]{2}-\\d{3,4}$" },
        mail: { type: "string", format: "email" },
        share: { type: "number", minimum: 0, maximum: 1 },
      }),
    );
    expect(plan.schema).toMatchObject({
      properties: {
        p0: { type: "string" },
        code: { const: "marker-leaf-0" },
        mail: { const: "marker-leaf-1" },
        share: { const: "marker-leaf-2" },
      },
    });
  });

  it("is enough for the patterns of zod together", () => {
    const types = [
      z.ipv6(),
      z.email(),
      z.uuid(),
      z.iso.datetime(),
      z.iso.date(),
      z.ipv4(),
      z.cidrv4(),
      z.cuid2(),
      z.ulid(),
      z.nanoid(),
      z.e164(),
    ];
    const all = Object.fromEntries(types.map((type, index) => [String(index), z.toJSONSchema(type)]));
    const base64 = { type: "string", pattern: z.core.regexes.base64.source };
    expect(planOf(object({ ...all, base64 })).markers.size).toBe(types.length + 1);
  });

  it("is spent once for a pattern without lengths, and a part never takes more than a half", () => {
    const pattern = `^${lookaheads}.*1$`;
    const work = new Work();
    planOf({ type: "string", pattern }, work);
    expect(work.left).toBeGreaterThanOrEqual(mostWork / 2);
    planOf({ type: "string", pattern: "^a{3}$", minLength: 3 }, work);
    expect(work.left).toBeGreaterThan(mostWork / 2 - 1_000);
  });
});
