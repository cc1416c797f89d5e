import { describe, expect, it } from "vitest";
import { planOfSchema } from "./plans.ts";

function schemaOf(number: number): string {
  return JSON.stringify({ type: "string", pattern: `^a{${String(number)}}$` });
}

describe("the plan of a schema", () => {
  it("is made once for all tries, calls and replays", () => {
    const plan = planOfSchema(schemaOf(0));
    expect(plan?.markers.size).toBe(1);
    for (let other = 1; other < 16; other += 1)
      expect(planOfSchema(schemaOf(other))?.rules).not.toEqual(plan?.rules);
    expect(planOfSchema(schemaOf(0))).toBe(plan);
  });

  it("is made again after many other schemas", () => {
    const plan = planOfSchema(schemaOf(0));
    for (let other = 1; other <= 16; other += 1) planOfSchema(schemaOf(other));
    const again = planOfSchema(schemaOf(0));
    expect(again).not.toBe(plan);
    expect(again).toEqual(plan);
  });

  it("is null for a schema that cannot be enforced", () => {
    expect(planOfSchema('{"$ref":"#/$defs/a"}')).toBeNull();
  });
});
