import fc from "fast-check";
import { expect, it } from "vitest";
import { decrypt, encrypt, keyBytes } from "./envelope.ts";

const key = fc.uint8Array({ minLength: keyBytes, maxLength: keyBytes });
const purpose = new TextEncoder().encode("payload");

it("opens what it encrypted, and only with the same key and purpose", () => {
  fc.assert(
    fc.property(key, key, fc.uint8Array(), (own, other, text) => {
      const sealed = encrypt(own, text, purpose);
      expect(decrypt(own, sealed, purpose)).toEqual(text);
      expect(decrypt(own, sealed, new TextEncoder().encode("result"))).toBeNull();
      fc.pre(String(own.subarray(0, 32)) !== String(other.subarray(0, 32)));
      expect(decrypt(other, sealed, purpose)).toBeNull();
    }),
    { numRuns: 50 },
  );
});

it("does not open a changed or cut text", () => {
  fc.assert(
    fc.property(key, fc.uint8Array({ minLength: 1 }), fc.nat(), (own, text, at) => {
      const sealed = encrypt(own, text, purpose);
      const changed = sealed.map((byte, index) => (index === at % sealed.length ? byte ^ 1 : byte));
      expect(decrypt(own, changed, purpose)).toBeNull();
      expect(decrypt(own, sealed.subarray(0, at % sealed.length), purpose)).toBeNull();
    }),
    { numRuns: 50 },
  );
});

it("uses another nonce for another text or purpose", () => {
  const own = new Uint8Array(keyBytes).fill(7);
  const nonceOf = (text: string, of: Uint8Array): string =>
    String(encrypt(own, new TextEncoder().encode(text), of).subarray(0, 24));
  const nonces = [
    nonceOf("a", purpose),
    nonceOf("b", purpose),
    nonceOf("a", new TextEncoder().encode("payloada").subarray(0, 6)),
    // The bytes of purpose and text together are those of the first one.
    nonceOf("da", new TextEncoder().encode("payloa")),
  ];
  expect(new Set(nonces.slice(0, 2)).size).toBe(2);
  expect(nonces[3]).not.toBe(nonces[0]);
  expect(nonces[2]).not.toBe(nonces[0]);
});
