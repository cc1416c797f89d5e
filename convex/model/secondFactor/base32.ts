/** As RFC 4648 has it. Authenticator apps read secrets in it, and people type it. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The text of bytes, whose number must be a multiple of five: then it needs no padding. */
export function base32Of(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)] ?? "").join("");
}

/** The bytes of such a text. */
export function bytesOfBase32(text: string): Uint8Array {
  const bits = Array.from(text, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (eight) => Number.parseInt(eight, 2));
}
