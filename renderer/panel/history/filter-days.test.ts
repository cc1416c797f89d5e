import { expect, it } from "vitest";
import { daysOf, fromDay, untilDay, withField } from "./filter-days.ts";

const start = Date.parse("2026-11-27T00:00:00Z");
const day = 86_400_000;

it("a filter holds both of its days as a whole", () => {
  const filter = untilDay(fromDay({ kind: "chat" }, "2026-11-27"), "2026-11-28");
  expect(filter).toEqual({ kind: "chat", from: start, to: start + 2 * day });
  expect(daysOf(filter)).toEqual({ first: "2026-11-27", last: "2026-11-28" });
});

it("an empty or a wrong day leaves the time open", () => {
  const filter = { from: start, to: start + day, model: "m" };
  expect(fromDay(filter, "")).toEqual({ to: start + day, model: "m" });
  expect(untilDay(filter, "0001-01-01")).toEqual({ from: start, model: "m" });
  expect(daysOf({})).toEqual({ first: "", last: "" });
});

it("a field without a value is not in the filter", () => {
  expect(withField({ model: "m", kind: "chat" }, "model", undefined)).toEqual({ kind: "chat" });
});
