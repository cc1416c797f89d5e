import { expect, it } from "vitest";
import { noText, withPieces } from "./streamed-text.ts";

const piece = (seq: number, text: string) => ({ seq, text });

it("adds each piece once, however often it comes", () => {
  const first = withPieces(noText, "a", [piece(0, "Hello"), piece(1, " wor")]);
  expect(first).toEqual({ text: "Hello wor", position: { attemptId: "a", seq: 1 } });
  const second = withPieces(first, "a", [piece(1, " wor"), piece(2, "ld")]);
  expect(second).toEqual({ text: "Hello world", position: { attemptId: "a", seq: 2 } });
  expect(withPieces(second, "a", [piece(2, "ld")])).toBe(second);
});

it("begins again with another attempt, and keeps the old text until that one has written", () => {
  const before = withPieces(noText, "a", [piece(4, "Hello")]);
  expect(withPieces(before, null, [])).toBe(before);
  expect(withPieces(before, "b", [])).toBe(before);
  expect(withPieces(before, "b", [piece(0, "Hi")])).toEqual({
    text: "Hi",
    position: { attemptId: "b", seq: 0 },
  });
});
