import fc from "fast-check";
import { expect, it } from "vitest";
import { emptyDigest, extendDigest, isContinuedBy } from "./digest.ts";

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const text = fc.string({ unit: "binary", maxLength: 60 });

it("a digest knows every text that begins with its chunks", () => {
  fc.assert(
    fc.property(random, fc.array(text), text, (secret, chunks, rest) => {
      const digest = chunks.reduce(extendDigest, emptyDigest(secret));
      expect(isContinuedBy(digest, chunks.join("") + rest)).toBe(true);
    }),
  );
});

it("a digest accepts a text that lacks only blanks at the end", () => {
  fc.assert(
    fc.property(random, fc.array(text), fc.constantFrom("", " ", "\n\n ", "  "), (secret, chunks, blanks) => {
      const digest = [...chunks, blanks].reduce(extendDigest, emptyDigest(secret));
      const whole = chunks.join("") + blanks;
      expect(isContinuedBy(digest, whole.trimEnd())).toBe(true);
      fc.pre(blanks !== "");
      expect(isContinuedBy(digest, `${whole.slice(0, -1)}x`)).toBe(false);
    }),
  );
});

it("a digest refuses a text with another beginning, and one that is shorter", () => {
  fc.assert(
    fc.property(random, text, text, fc.nat(), (secret, before, after, code) => {
      const other = String.fromCharCode(code % 0xffff);
      fc.pre(other !== "x" && other.trim() !== "");
      const digest = extendDigest(emptyDigest(secret), `${before}x${after}`);
      expect(isContinuedBy(digest, `${before}${other}${after} and more`)).toBe(false);
      expect(isContinuedBy(digest, before)).toBe(false);
    }),
  );
});
