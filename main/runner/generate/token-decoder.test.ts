import { describe, expect, it } from "vitest";
import { TokenDecoder } from "./token-decoder.ts";

/** Every token is a single byte, which is the worst case. */
function byteDecoder(): TokenDecoder<number> {
  return new TokenDecoder<number>((tokens) => Buffer.from(tokens).toString("utf8"), []);
}

function pieces(text: string): string[] {
  const decoder = byteDecoder();
  return [...Buffer.from(text)].map((byte) => decoder.push(byte));
}

describe("TokenDecoder", () => {
  it("returns a character only when it is complete", () => {
    expect(pieces("é")).toEqual(["", "é"]);
    expect(pieces("a🐦")).toEqual(["a", "", "", "", "🐦"]);
  });

  it("returns the rest of a character that never ended", () => {
    const decoder = byteDecoder();
    expect(decoder.push(0xf0)).toBe("");
    expect(decoder.flush()).toBe("\uFFFD");
    expect(decoder.flush()).toBe("");
  });

  it("does not hold broken bytes back forever", () => {
    const decoder = byteDecoder();
    const text = [0xff, 0xff, 0xff, 0xff].map((byte) => decoder.push(byte)).join("");
    expect(text).not.toBe("");
  });

  it("gives the detokenizer the preceding tokens", () => {
    const seen: (readonly number[])[] = [];
    const decoder = new TokenDecoder<number>((_tokens, before) => (seen.push(before), "x"), [7, 8]);
    decoder.push(1);
    decoder.push(2);
    expect(seen).toEqual([
      [7, 8],
      [7, 8, 1],
    ]);
  });
});
