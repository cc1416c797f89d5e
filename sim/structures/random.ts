import { normalNumber } from "../../app/forecast/random.ts";

/** A stream of numbers that depends only on its seed. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [0, bound). */
  below(bound: number): number;
}

/** The generator sfc32 (Chris Doty-Humphrey, PractRand), seeded by mixing one number. */
export function randomFrom(seed: number): Random {
  let a = mix(seed);
  let b = mix(a ^ 0x9e37_79b9);
  let c = mix(b ^ 0x85eb_ca6b);
  let counter = 1;
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round += 1) next();
  return { next, below: (bound) => Math.floor(next() * bound) };
}

/** Spreads a whole number over 32 bits. The finalizer of MurmurHash3 (Austin Appleby). */
export function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** An exponentially distributed time, in the unit of its mean. */
export function exponential(random: Random, mean: number): number {
  return -Math.log(1 - random.next()) * mean;
}

/** A standard normal number. */
export function normal(random: Random): number {
  return normalNumber(() => random.next());
}
