import fc from "fast-check";
import { expect, it } from "vitest";
import { type Chars, complement, normal, overlap, union } from "./chars.ts";

const code = fc.nat(400);
const ranges = fc
  .array(fc.tuple(code, fc.integer({ min: 1, max: 3 })), { maxLength: 120 })
  .map((all) => all.flatMap(([from, length]) => [from, from + length]));

function has(set: Chars, char: number): boolean {
  return overlap(set, [char, char + 1]);
}

function isIn(all: Chars, char: number): boolean {
  return all.some((from, at) => at % 2 === 0 && from <= char && char < (all[at + 1] ?? 0));
}

it("a set has all characters of its ranges, and a complement all others, however many ranges there are", () => {
  fc.assert(
    fc.property(ranges, code, (all, char) => {
      if (isIn(all, char)) expect(has(normal(all), char)).toBe(true);
      else expect(has(complement(all), char)).toBe(true);
    }),
  );
});

it("a union has all characters of its sets", () => {
  fc.assert(
    fc.property(ranges, ranges, code, (one, other, char) => {
      if (isIn([...one, ...other], char)) expect(has(union(normal(one), normal(other)), char)).toBe(true);
    }),
  );
});

it("a set has few ranges, so that a long grammar costs no more for each of its parts", () => {
  const many = Array.from({ length: 1_000 }, (_, at) => [10 * at, 10 * at + 1]).flat();
  expect(normal(many)).toEqual([0, 9_991]);
  expect(complement(many)).toEqual([1, 0x11_0000]);
});
