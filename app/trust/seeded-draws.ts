const size = 624;
const middle = 397;

/**
 * The numbers that llama.cpp draws for the tokens of an answer, one for each: the generator MT19937 (Matsumoto, Nishimura), of which
 * two numbers of 32 bits make one of 53. C++ defines both, so they are the same on all systems.
 */
export class SeededDraws {
  readonly #state = new Uint32Array(size);
  #at = size;

  /** @param seed a whole number from 0 to 2^32 − 1. */
  constructor(seed: number) {
    this.#state[0] = seed >>> 0;
    for (let at = 1; at < size; at += 1) {
      const before = this.#word(at - 1);
      this.#state[at] = (Math.imul(before ^ (before >>> 30), 0x6c07_8965) + at) >>> 0;
    }
  }

  /** The next number, in [0, 1). */
  next(): number {
    const low = this.#bits();
    return (low + this.#bits() * 2 ** 32) / 2 ** 64;
  }

  #word(at: number): number {
    return this.#state[at % size] ?? 0;
  }

  #bits(): number {
    if (this.#at === size) this.#refill();
    let bits = this.#word(this.#at);
    this.#at += 1;
    bits ^= bits >>> 11;
    bits ^= (bits << 7) & 0x9d2c_5680;
    bits ^= (bits << 15) & 0xefc6_0000;
    return (bits ^ (bits >>> 18)) >>> 0;
  }

  #refill(): void {
    for (let at = 0; at < size; at += 1) {
      const bits = (this.#word(at) & 0x8000_0000) | (this.#word(at + 1) & 0x7fff_ffff);
      this.#state[at] = this.#word(at + middle) ^ (bits >>> 1) ^ ((bits & 1) === 0 ? 0 : 0x9908_b0df);
    }
    this.#at = 0;
  }
}
