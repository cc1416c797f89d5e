const scratch = new DataView(new ArrayBuffer(4));

/** Drops `count` low bits, rounding to nearest and ties to even. */
function dropLowBits(value: number, count: number): number {
  const kept = value >>> count;
  const rest = value & ((1 << count) - 1);
  const half = 1 << (count - 1);
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept;
}

/** The bits of the nearest IEEE 754 half-precision number (ties to even). Keeps infinities and NaN. */
export function toHalf(value: number): number {
  scratch.setFloat32(0, value);
  const single = scratch.getUint32(0);
  const sign = (single >>> 16) & 0x8000;
  const singleExponent = (single >>> 23) & 0xff;
  const mantissa = single & 0x7fffff;
  const exponent = singleExponent - 127 + 15;

  if (exponent >= 31) return sign | 0x7c00 | (singleExponent === 255 && mantissa !== 0 ? 0x200 : 0);
  // Below half of the smallest subnormal.
  if (exponent < -10) return sign;
  if (exponent <= 0) return sign | dropLowBits(mantissa | 0x800000, 14 - exponent);
  // If the mantissa rounds up to a power of two, the carry increases the exponent, which is correct.
  return sign | dropLowBits((exponent << 23) | mantissa, 13);
}

/** The number that these half-precision bits represent. */
export function fromHalf(half: number): number {
  const sign = (half & 0x8000) === 0 ? 1 : -1;
  const exponent = (half >>> 10) & 0x1f;
  const mantissa = half & 0x3ff;
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (mantissa + 0x400) * 2 ** (exponent - 25);
}
