import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { memoryOfJson, parseBoundedJson, parseMeasuredJson } from "./bounded-json.ts";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

test("brackets in strings do not count as nesting", () => {
  expect(parseBoundedJson(JSON.stringify({ a: '["[[[[\\"[[' }), 2)).toEqual({
    kind: "ok",
    value: { a: '["[[[[\\"[[' },
  });
});

test("only nesting adds to the depth, not size", () => {
  expect(parseBoundedJson(JSON.stringify(Array.from({ length: 100 }, () => [])), 2).kind).toBe("ok");
  expect(parseBoundedJson("[[[]]]", 2).kind).toBe("invalid");
});

test("small text whose value would be large is not parsed", () => {
  const arrays = `[${"[],".repeat(100_000)}[]]`;
  expect(parseMeasuredJson(arrays, 4 * 2 ** 20)).toMatchObject({ kind: "too large" });
  expect(parseMeasuredJson(JSON.stringify("x".repeat(300_000)), 4 * 2 ** 20)).toMatchObject({ kind: "ok" });
});

test.each([
  ["empty arrays", `[${"[],".repeat(50_000)}[]]`],
  ["empty objects", `[${"{},".repeat(50_000)}{}]`],
  ["numbers", `[${"1,".repeat(50_000)}1]`],
  ["fractions", `[${"0.1,".repeat(50_000)}0.1]`],
  ["different short strings", JSON.stringify(Array.from({ length: 50_000 }, (_, n) => `s${n}`))],
  ["different fields", JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ [`f${n % 1000}`]: n })))],
  ["long text", JSON.stringify("x".repeat(500_000))],
  ["text with other letters", JSON.stringify(`${"x".repeat(500_000)}語`)],
])("the estimated memory of %s covers the real memory", (_, text) => {
  const kept: unknown[] = [];
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let copy = 0; copy < 8; copy += 1) kept.push(JSON.parse(text));
  gc();
  const real = (process.memoryUsage().heapUsed - before) / kept.length;
  // Half as much again is close enough for a budget.
  expect(real).toBeLessThan(1.5 * memoryOfJson(text) + 20_000);
});

test.each([
  "hunter2",
  '["a", hunter2]',
  '{"a": hunter2 }',
  `${" ".repeat(99)}hunter2`,
  "undefined hunter2",
  '"hunter2',
])("the reason of a refusal does not quote %j", (text) => {
  const parsed = parseBoundedJson(text);
  expect(parsed).toMatchObject({ kind: "invalid", reason: expect.any(String) as string });
  expect(JSON.stringify(parsed)).not.toContain("hunter");
});
