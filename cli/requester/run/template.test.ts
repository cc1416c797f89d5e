import { expect, it } from "vitest";
import { columnsIn, fillTemplate } from "./template.ts";

it("finds the columns of a template, each once", () => {
  expect(columnsIn("{{a}} and {{ long name }}, {{a}} again")).toEqual(["a", "long name"]);
  expect(columnsIn("no {column} here")).toEqual([]);
});

it("fills in values, with JSON for those that are no text", () => {
  const fields = { text: "a", count: 3, list: [1, "b"], nothing: null };
  expect(fillTemplate("{{text}}|{{ count }}|{{list}}|{{nothing}}|", fields)).toBe('a|3|[1,"b"]||');
});

it("does not read values as templates, nor as patterns of a replacement", () => {
  expect(fillTemplate("{{a}} {{b}}", { a: "{{b}} $& $1", b: "x" })).toBe("{{b}} $& $1 x");
});
