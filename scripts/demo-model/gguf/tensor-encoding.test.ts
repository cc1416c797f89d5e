import { expect, it } from "vitest";
import { decodeTensor, encodedBytes, encodeTensor, type TensorType, tensorTypes } from "./tensor-encoding.ts";

const ramp = Float32Array.from({ length: 64 }, (_, i) => (i - 20) / 7);

it.each(Object.keys(tensorTypes) as TensorType[])(
  "%s decodes to numbers close to the encoded ones, and has the expected size",
  (type) => {
    const encoded = encodeTensor(ramp, type);
    expect(encoded).toHaveLength(encodedBytes(type, ramp.length));
    const tolerance = { f32: 0, f16: 0.002, q8_0: 0.03 }[type];
    decodeTensor(encoded, type, ramp.length).forEach((value, i) => {
      expect(Math.abs(value - ramp[i]!)).toBeLessThanOrEqual(tolerance);
    });
  },
);

it("in q8_0 the largest magnitude of a block becomes ±127, and halves round away from zero", () => {
  const block = new Float32Array(32);
  block.set([-127, 2.5, -2.5, 0.4]);
  expect([...encodeTensor(block, "q8_0").subarray(2, 6)]).toEqual([256 - 127, 3, 256 - 3, 0]);
});

it("in q8_0 a block of zeros stays zero", () => {
  expect(decodeTensor(encodeTensor(new Float32Array(32), "q8_0"), "q8_0", 32)).toEqual(new Float32Array(32));
});

it("q8_0 refuses an incomplete block", () => {
  expect(() => encodeTensor(new Float32Array(33), "q8_0")).toThrow(RangeError);
});
