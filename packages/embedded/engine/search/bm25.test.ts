import fc from "fast-check";
import { expect, test } from "vitest";
import { codedLength, lengthCode, termScorer } from "./bm25.ts";

test("lengths up to 40 are exact, and longer ones are rounded down to Tantivy's steps", () => {
  const coded = [...Array(42).keys(), 88, 95, 96, 151, 152, 167, 168].map((length) =>
    codedLength(lengthCode(length)),
  );
  expect(coded).toEqual([...Array(41).keys(), 40, 88, 88, 96, 144, 152, 152, 168]);
});

test("a code is one byte, and its length is at most an eighth too small", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_048_576 }), (length) => {
      const code = lengthCode(length);
      expect(code).toBeLessThanOrEqual(0xff);
      expect(codedLength(code)).toBeLessThanOrEqual(length);
      expect(codedLength(code)).toBeGreaterThan(length * (7 / 8) - 1);
    }),
  );
});

test("a score grows with the occurrences and the rarity of the term, and shrinks with the length", () => {
  const score = (frequency: number, count: number, length: number) =>
    termScorer({ documents: 100, terms: 1_000 }, frequency)(count, lengthCode(length));
  expect(score(5, 2, 10)).toBeGreaterThan(score(5, 1, 10));
  expect(score(5, 1, 10)).toBeGreaterThan(score(50, 1, 10));
  expect(score(5, 1, 10)).toBeGreaterThan(score(5, 1, 20));
  // In a document of average length: ln(1 + 95.5 / 5.5) * 2.2 / (1 + 1.2).
  expect(score(5, 1, 10)).toBeCloseTo(2.91, 3);
});
