import { expect, it } from "vitest";
import { matchesOf } from "./match.ts";

const titles = (all: readonly string[], query: string): readonly string[] =>
  matchesOf(
    all.map((title) => ({ id: title, title })),
    query,
  ).map(({ title }) => title);

it("finds entries with each word of the query, in any case and order", () => {
  expect(titles(["New API key", "API keys", "Jobs"], "KEY api")).toEqual(["New API key", "API keys"]);
  expect(titles(["New API key"], "api code")).toEqual([]);
});

it("puts beginnings first, then beginnings of words, then the rest", () => {
  expect(titles(["Madevices", "My devices", "Devices"], "dev")).toEqual([
    "Devices",
    "My devices",
    "Madevices",
  ]);
});

it("keeps the order without a query, and shows at most eight", () => {
  const many = Array.from({ length: 20 }, (_, at) => `Device ${String(at)}`);
  expect(titles(many, "")).toEqual(many.slice(0, 8));
});
