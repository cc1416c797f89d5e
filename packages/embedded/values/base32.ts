/** Crockford's alphabet in lower case: no i, l, o or u. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const digits = new Map(Array.from(alphabet, (character, value) => [character, value]));

/** Five bits per character, most significant first; the last one is padded with zeros. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = "";
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(pending >> bits) & 31] as string;
    }
    pending &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + (alphabet[(pending << (5 - bits)) & 31] as string);
}

/** Null for a character outside the alphabet. Padding bits are dropped. */
export function decodeBase32(text: string): Uint8Array | null {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let length = 0;
  let pending = 0;
  let bits = 0;
  for (const character of text) {
    const digit = digits.get(character);
    if (digit === undefined) return null;
    pending = (pending << 5) | digit;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = pending >> bits;
    pending &= (1 << bits) - 1;
  }
  return bytes;
}
