import { describe, expect, it } from "vitest";
import { parseChat } from "../parse/parse-chat.ts";
import { parseSchema } from "../schema/json-schema.ts";
import { stepBudget } from "../schema/overlap.ts";
import { hasNestedChoices } from "./nested-choices.ts";

const object = (properties: object) => ({ type: "object", properties });
const reference = (name: string) => ({ $ref: `#/$defs/${name}` });
const list = (items: object) => ({ type: "array", items });
const text = { type: "string" };

const tree = {
  ...reference("node"),
  $defs: { node: object({ name: text, children: list(reference("node")) }) },
};
const linked = {
  ...object({ head: { oneOf: [reference("node"), { type: "null" }] } }),
  $defs: {
    node: object({ value: { type: "number" }, next: { oneOf: [reference("node"), { type: "null" }] } }),
  },
};
const tagged = {
  ...reference("shape"),
  $defs: {
    shape: { oneOf: [reference("group"), reference("circle"), list(reference("shape"))] },
    group: object({ kind: { const: "group" }, of: list(reference("shape")) }),
    circle: object({ kind: { enum: ["circle", "dot"] }, radius: { type: "number" } }),
  },
};
const otherNames = {
  ...reference("a"),
  $defs: { a: { oneOf: [object({ x: reference("a") }), object({ y: reference("a") }), text] } },
};

const alike = {
  ...reference("a"),
  $defs: { a: { oneOf: [object({ x: reference("a"), y: text }), object({ x: reference("a") })] } },
};
const lists = {
  ...reference("a"),
  $defs: { a: { oneOf: [list(reference("a")), { oneOf: [list(text)] }] } },
};
const sharedTag = {
  ...object({ all: list({ oneOf: [reference("a"), reference("b")] }) }),
  $defs: {
    a: object({ kind: { enum: ["a", "c"] }, of: text }),
    b: object({ kind: { enum: ["b", "c"] }, of: text }),
  },
};
const anyObject = {
  ...reference("a"),
  $defs: { a: { oneOf: [object({ kind: { const: "a" } }), { type: "object", additionalProperties: text }] } },
};

describe("choices of objects and lists", () => {
  it.each([
    ["a tree", tree],
    ["a linked list", linked],
    ["alternatives with constants of their own", tagged],
    ["alternatives with names of their own", otherNames],
  ])("are told apart in %s", (_, schema) => {
    expect(hasNestedChoices(schema)).toBe(false);
  });

  it.each([
    ["objects with the same first property", alike],
    ["lists", lists],
    ["objects that share a constant", sharedTag],
    ["an object with any properties", anyObject],
  ])("may both go on with %s", (_, schema) => {
    expect(hasNestedChoices(schema)).toBe(true);
  });
});

describe("the steps for schemas with references", () => {
  const steps = (schema: object): number => {
    const budget = stepBudget();
    const { nested } = budget;
    expect(
      parseSchema(JSON.parse(JSON.stringify(schema).replaceAll("oneOf", "anyOf")), { budget }),
    ).toMatchObject({ kind: "ok" });
    return nested - budget.nested;
  };

  it("are none if the alternatives are told apart", () => {
    expect([tree, linked, tagged, otherNames].map(steps)).toEqual([0, 0, 0, 0]);
    expect(steps(sharedTag)).toBeGreaterThan(0);
  });

  const chat = (parameters: object): ReturnType<typeof parseChat> =>
    parseChat(
      JSON.stringify({
        model: "m",
        messages: [{ role: "user", content: "x" }],
        tools: Array.from({ length: 64 }, (_, at) => ({
          type: "function",
          function: { name: `t${at}`, parameters, strict: true },
        })),
      }).replaceAll("oneOf", "anyOf"),
    );

  it("are shared by all tools of a request", () => {
    expect(chat(tagged)).toMatchObject({ kind: "parsed" });
    expect(JSON.stringify(chat(sharedTag))).toMatch(/the request's other schemas, begin alike/);
  });
});
