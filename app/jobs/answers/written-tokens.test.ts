import fc from "fast-check";
import { expect, it } from "vitest";
import { bytesOfWritten, countPassages, countWritten, packWritten, unpackWritten } from "./written-tokens.ts";

const passages = fc.array(fc.array(fc.nat(2 ** 20 - 1)), { minLength: 1 });

it("reads the tokens that it wrote, in their passages", () => {
  fc.assert(
    fc.property(passages, (given) => {
      const packed = packWritten(given);
      expect(unpackWritten(packed)).toEqual(given);
      expect(countWritten(packed)).toBe(given.flat().length);
      expect(countPassages(packed)).toBe(given.length);
      expect(packed.length).toBeLessThanOrEqual(bytesOfWritten * given.flat().length + given.length);
    }),
  );
});

it("takes three characters for most tokens of large vocabularies", () => {
  expect(packWritten([[0, 31, 32, 1_023, 32_767, 151_935]])).toHaveLength(1 + 1 + 2 + 2 + 3 + 4);
});

it.each(["g", "Ag", "ggggA", "A\n", "A  =", "é"])("refuses %j", (packed) => {
  expect(unpackWritten(packed)).toBeNull();
  expect(countWritten(packed)).toBeNull();
});

it("reads any text or refuses it", () => {
  fc.assert(
    fc.property(fc.string(), (packed) => {
      const read = unpackWritten(packed);
      expect(read?.flat().length ?? null).toBe(countWritten(packed));
    }),
  );
});
