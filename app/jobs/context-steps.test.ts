import fc from "fast-check";
import { expect, it } from "vitest";
import { contextNeed, contextOffer, shortestContext } from "./context-steps.ts";

it.each([
  ["a short job", 2_048, 8_192, undefined],
  ["a longer job", 2_049, 8_192, 8_192],
  ["a job of a quarter of the context", 8_192, 32_768, 8_192],
  ["a job of more than the whole context", 99_999, 8_192, 8_192],
  ["any job of a model with a short context", 99_999, 1_024, undefined],
  ["a job between two steps", 10_000, 24_000, 24_000],
])("%s asks for the context that it can need", (_, tokens, whole, need) => {
  expect(contextNeed(tokens, whole)).toBe(need);
});

it("a device that is offered a job has room for it, and the whole context takes every job", () => {
  const tokens = fc.integer({ min: 1, max: 300_000 });
  fc.assert(
    fc.property(tokens, tokens, tokens, (needed, whole, fits) => {
      const need = contextNeed(needed, whole) ?? Math.min(shortestContext, whole);
      const offer = contextOffer(Math.max(fits, Math.min(shortestContext, whole)), whole);
      if (offer >= need)
        expect(Math.max(fits, shortestContext)).toBeGreaterThanOrEqual(Math.min(needed, whole));
      expect(contextOffer(whole, whole)).toBeGreaterThanOrEqual(need);
    }),
  );
});
