/**
 * SHA-256 of a text's UTF-8 bytes, in lower-case hex. Browsers offer `crypto.subtle` on https and localhost
 * only; an office that serves the console over plain http from another machine needs this one.
 */
export function sha256(text: string): string {
  const words = paddedWords(new TextEncoder().encode(text));
  const state = Uint32Array.from(initial);
  const schedule = new Uint32Array(64);
  for (let block = 0; block < words.length; block += 16) {
    schedule.set(words.subarray(block, block + 16));
    for (let at = 16; at < 64; at += 1) schedule[at] = extended(schedule, at);
    compress(state, schedule);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

const { initial, rounds } = constants();

/** The fractional bits of the square and cube roots of the first primes, as the standard defines them. */
function constants(): { readonly initial: Uint32Array; readonly rounds: Uint32Array } {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < 64; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32);
  return {
    initial: Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    rounds: Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
  };
}

function paddedWords(bytes: Uint8Array): Uint32Array {
  const length = Math.ceil((bytes.length + 9) / 64) * 64;
  const padded = new DataView(new ArrayBuffer(length));
  bytes.forEach((byte, at) => padded.setUint8(at, byte));
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
  padded.setUint32(length - 4, (bytes.length << 3) >>> 0);
  return Uint32Array.from({ length: length / 4 }, (_, at) => padded.getUint32(at * 4));
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function extended(w: Uint32Array, at: number): number {
  const early = w[at - 15] ?? 0;
  const late = w[at - 2] ?? 0;
  const small = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
  const large = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
  return ((w[at - 16] ?? 0) + small + (w[at - 7] ?? 0) + large) >>> 0;
}

function compress(state: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at += 1) {
    const choice = (e & f) ^ (~e & g);
    const upper = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + upper + choice + (rounds[at] ?? 0) + (schedule[at] ?? 0)) >>> 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) >>> 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => (state[at] = ((state[at] ?? 0) + word) >>> 0));
}
