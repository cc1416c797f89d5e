import { expect, it } from "vitest";
import { enrollmentCodeOf, shownPrefix } from "./secrets.ts";

it("shows only four characters of a key", () => {
  expect(shownPrefix("sk-gleaner-abcdefgh")).toBe("sk-gleaner-abcd");
});

it("writes the low five bits of each byte as one symbol of an enrollment code", () => {
  const bytes = Uint8Array.from([0, 1, 9, 10, 18, 20, 22, 27, 31, 32, 63, 255]);
  expect(enrollmentCodeOf(bytes)).toBe("GLN-019A-JMPV-Z0ZZ");
});
