import { expect, test } from "vitest";
import { describeRange } from "./describe-range.ts";
import { fullRange, toKeyRange } from "./index-range.ts";
import { prefixEnd, successor } from "./key.ts";
import { encodeKey } from "./key-encoding.ts";

const target = { table: "jobs", index: "by_lane", keyFields: ["lane", "status", "at", "_id"] };
const lane = { type: "Eq", fieldPath: "lane", value: "m" } as const;
const status = { type: "Eq", fieldPath: "status", value: "ready" } as const;

test("a range is described as queries write it", () => {
  const shown = (...expressions: Parameters<typeof toKeyRange>[1]): string =>
    describeRange("by_lane", toKeyRange(target, expressions));
  expect(describeRange("by_lane", fullRange("jobs", "by_lane"))).toBe("by_lane[]");
  expect(shown(lane, status)).toBe('by_lane["m", "ready"]');
  expect(shown(lane, status, { type: "Gte", fieldPath: "at", value: 5 })).toBe(
    'by_lane["m", "ready", 5] .. ["m", "ready"]',
  );
  expect(
    shown(
      lane,
      { type: "Gt", fieldPath: "status", value: "a" },
      { type: "Lt", fieldPath: "status", value: "b" },
    ),
  ).toBe('by_lane after ["m", "a"] .. before ["m", "b"]');
});

test("a scan's consumed range and a read document are described", () => {
  const point = encodeKey(["k57"]);
  expect(describeRange("by_id", { lower: point, upper: successor(point) })).toBe('by_id["k57"]');
  const lower = encodeKey(["m"]);
  const reached = successor(encodeKey(["m", 3n, null]));
  expect(describeRange("by_lane", { lower, upper: reached })).toBe('by_lane["m"] .. ["m", 3n, null]');
  expect(describeRange("by_lane", { lower: prefixEnd(lower), upper: null })).toBe('by_lane after ["m"] ..');
});

test("long values are cut, and bytes are shown by length", () => {
  const key = encodeKey(["x".repeat(200), new ArrayBuffer(9)]);
  const shown = describeRange("by_text", { lower: key, upper: prefixEnd(key) });
  expect(shown).toContain("…, bytes(9)]");
  expect(shown.length).toBeLessThan(100);
});
