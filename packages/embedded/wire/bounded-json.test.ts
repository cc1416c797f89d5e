import { expect, test } from "vitest";
import { parseBoundedJson } from "./bounded-json.ts";

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
