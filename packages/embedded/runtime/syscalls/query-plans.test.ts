import { expect, onTestFinished, test } from "vitest";
import { openEngine } from "../../engine/engine.ts";
import { noSchema } from "../checks/schema.ts";
import { QueryPlans } from "./query-plans.ts";

function asked(index: string): string {
  const range = [{ type: "Eq", fieldPath: "n", value: 1 }];
  return JSON.stringify({
    query: { source: { type: "IndexRange", indexName: `rows.${index}`, range, order: null }, operators: [] },
  });
}

function open() {
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  engine.applySchema([{ name: "rows", indexes: [{ name: "by_n", fields: ["n"] }] }]);
  return engine;
}

test("an equal query of the same component has the same plan", () => {
  const engine = open();
  const plans = new QueryPlans();
  const plan = plans.of(engine, noSchema, "", asked("by_n"));
  expect(plan.source).toMatchObject({ range: { table: "rows", index: "by_n" } });
  expect(plans.of(engine, noSchema, "", asked("by_n"))).toBe(plan);
  engine.applySchema([
    { name: "rows", indexes: [{ name: "by_n", fields: ["n"] }] },
    { name: "child/rows", indexes: [{ name: "by_n", fields: ["n"] }] },
  ]);
  expect(plans.of(engine, noSchema, "child", asked("by_n")).table).toBe("child/rows");
});

test("a query is planned again when its table has other indexes", () => {
  const engine = open();
  const plans = new QueryPlans();
  const plan = plans.of(engine, noSchema, "", asked("by_n"));
  engine.applySchema([{ name: "rows", indexes: [{ name: "by_n", fields: ["n", "m"] }] }]);
  const again = plans.of(engine, noSchema, "", asked("by_n"));
  expect(again).not.toBe(plan);
  engine.applySchema([{ name: "rows", indexes: [] }]);
  expect(() => plans.of(engine, noSchema, "", asked("by_n"))).toThrow("Index rows.by_n not found.");
});
