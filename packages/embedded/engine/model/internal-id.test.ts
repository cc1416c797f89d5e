import { expect, test } from "vitest";
import { encodeDocumentId } from "../../values/document-id.ts";
import { newInternalId } from "./internal-id.ts";

const idAt = (ms: number): string => encodeDocumentId({ tableNumber: 10_001, internalId: newInternalId(ms) });

test("ids sort by the second in which they were made", () => {
  const start = Date.parse("2026-11-25T08:00:00Z");
  const ids = [0, 1, 59, 3_600, 86_400, 10 * 365 * 86_400].map((seconds) => idAt(start + seconds * 1_000));
  expect(ids.toSorted()).toEqual(ids);
});

test("ids of one moment differ in twelve random bytes", () => {
  const tails = Array.from({ length: 1_000 }, () =>
    Buffer.from(newInternalId(1_000).subarray(4)).toString("hex"),
  );
  expect(new Set(tails).size).toBe(1_000);
  for (let at = 0; at < 24; at += 1) expect(new Set(tails.map((tail) => tail[at])).size).toBeGreaterThan(8);
});
