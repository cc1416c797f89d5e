import { describe, expect, it } from "vitest";
import { TokenText } from "./token-decoder.ts";

/** Tokens that are single bytes: the worst case for characters. */
function bytesText(): TokenText<number> {
  return new TokenText<number>((tokens) => Buffer.from(tokens).toString("utf8"), []);
}

function pieces(text: string): string[] {
  const decoder = bytesText();
  return [...Buffer.from(text)].map((byte) => decoder.push(byte));
}

describe("TokenText", () => {
  it("gives a character only when it is whole", () => {
    expect(pieces("é")).toEqual(["", "é"]);
    expect(pieces("a🐦")).toEqual(["a", "", "", "", "🐦"]);
  });

  it("gives what is left of a character that never ended", () => {
    const decoder = bytesText();
    expect(decoder.push(0xf0)).toBe("");
    expect(decoder.flush()).toBe("\uFFFD");
    expect(decoder.flush()).toBe("");
  });

  it("does not hold broken bytes back for good", () => {
    const decoder = bytesText();
    const text = [0xff, 0xff, 0xff, 0xff].map((byte) => decoder.push(byte)).join("");
    expect(text).not.toBe("");
  });

  it("tells the detokenizer what came before", () => {
    const seen: (readonly number[])[] = [];
    const decoder = new TokenText<number>((_tokens, before) => (seen.push(before), "x"), [7, 8]);
    decoder.push(1);
    decoder.push(2);
    expect(seen).toEqual([
      [7, 8],
      [7, 8, 1],
    ]);
  });
});
