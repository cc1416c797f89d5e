import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeDocumentId, encodeDocumentId, newDocumentId, undecodableReason } from "./document-id.ts";

const internalId = fc.uint8Array({ minLength: 16, maxLength: 16 });
const tableNumber = fc.oneof(fc.integer({ min: 1, max: 0xffff_ffff }), fc.integer({ min: 1, max: 20_000 }));

test("ids equal Convex's", () => {
  // Known answer: table 1017 and bytes that are powers of 251.
  const bytes = Uint8Array.from({ length: 16 }, (_, i) => Number(251n ** BigInt(i + 1) % 256n));
  expect(encodeDocumentId({ tableNumber: 1017, internalId: bytes })).toBe("z43zp6c3e75gkmz1kfwj6mbbx5sw281h");
});

test("ids round-trip through encoding and decoding", () => {
  fc.assert(
    fc.property(tableNumber, internalId, (number, bytes) => {
      const text = encodeDocumentId({ tableNumber: number, internalId: bytes });
      expect(decodeDocumentId(text)).toEqual({ tableNumber: number, internalId: bytes });
    }),
  );
});

test("only the canonical encoding of an id is decoded", () => {
  const character = fc.constantFrom(...Array.from("0123456789abcdefghjkmnpqrstvwxyzABUil-é"));
  fc.assert(
    fc.property(fc.string({ unit: character, minLength: 30, maxLength: 38 }), (text) => {
      const id = decodeDocumentId(text);
      if (id !== null) expect(encodeDocumentId(id)).toBe(text);
    }),
  );
});

test("one wrong character in an id is detected", () => {
  const text = encodeDocumentId({ tableNumber: 10_001, internalId: new Uint8Array(16).fill(7) });
  for (let i = 0; i < text.length; i++) {
    const wrong = text[i] === "0" ? "1" : "0";
    expect(decodeDocumentId(text.slice(0, i) + wrong + text.slice(i + 1)), `at ${i}`).toBeNull();
  }
  expect(decodeDocumentId(text.toUpperCase())).toBeNull();
  expect(decodeDocumentId(`${text}0`)).toBeNull();
});

test.each([
  ["", "Invalid ID length 0"],
  ["é".repeat(19), "Invalid ID length 38"],
  ["é".repeat(16), "ID wasn't valid base32"],
  ["0".repeat(31), "Invalid table number"],
  ["z".repeat(37), "Invalid table number"],
  ["z43zp6c3e75gkmz1kfwj6mbbx5sw28", "Invalid ID length 30"],
  ["z43zp6c3e75gkmz1kfwj6mbbx5sw281", "Invalid ID length 31"],
  ["z43zp6c3e75gkmz1kfwj6mbbx5sw281h00", "Invalid ID length 34"],
  ["z43zp6c3e75gkmz1kfwj6mbbx5sw282h", expect.stringMatching(/^Invalid ID version \d+ \(expected \d+\)$/)],
])("Convex's reason is told why %j is no id", (text, reason) => {
  expect(decodeDocumentId(text)).toBeNull();
  expect(undecodableReason(text)).toEqual(reason);
});

test("table numbers and id lengths out of bounds are refused", () => {
  expect(() => encodeDocumentId({ tableNumber: 0, internalId: new Uint8Array(16) })).toThrow("table number");
  expect(() => encodeDocumentId({ tableNumber: 1, internalId: new Uint8Array(15) })).toThrow("internal id");
});

test("a new document's id is the encoded one, and is decoded like any other", () => {
  fc.assert(
    fc.property(tableNumber, internalId, (number, bytes) => {
      const id = { tableNumber: number, internalId: bytes };
      expect(newDocumentId(id)).toBe(encodeDocumentId(id));
      expect(decodeDocumentId(newDocumentId(id))).toEqual(id);
    }),
  );
});
