import fc from "fast-check";
import { expect, it } from "vitest";
import { readVector } from "./answer.ts";

const packed = (numbers: readonly number[]): string => {
  const bytes = Buffer.alloc(numbers.length * 4);
  numbers.forEach((each, index) => bytes.writeFloatLE(each, index * 4));
  return bytes.toString("base64");
};

it("reads a packed vector", () => {
  const float = fc.float({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(fc.array(float, { minLength: 1 }), (numbers) => {
      expect(readVector(packed(numbers))).toEqual(numbers);
    }),
  );
});

it.each([["no base64"], [""], ["AAA="], [packed([1, Number.NaN])], [packed([Infinity])]])(
  "reads no vector from %j",
  (text) => {
    expect(readVector(text)).toBeNull();
  },
);
