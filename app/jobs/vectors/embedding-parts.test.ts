import fc from "fast-check";
import { expect, it } from "vitest";
import { limits } from "../limits.ts";
import { mostTokensOf } from "../payload/token-ids.ts";
import { embeddingParts } from "./embedding-parts.ts";

it("keeps a few inputs together, and cuts many", () => {
  expect(embeddingParts(["a", "b"])).toEqual([["a", "b"]]);
  const most = Array.from({ length: limits.embeddingInputsOfCall }, (_, at) => String(at));
  const parts = embeddingParts(most);
  expect(parts).toHaveLength(limits.embeddingInputsOfCall / limits.embeddingInputsOfPart);
  expect(parts.flat()).toEqual(most);
});

it("makes no part larger than a job may be", () => {
  const input = fc.integer({ min: 1, max: limits.promptBytes / 2 }).map((length) => "é".repeat(length));
  fc.assert(
    fc.property(fc.array(input, { minLength: 1, maxLength: 12 }), (inputs) => {
      const parts = embeddingParts(inputs);
      expect(parts.flat()).toEqual(inputs);
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(limits.embeddingInputsOfPart);
        expect(part.reduce((sum, each) => sum + mostTokensOf(each), 0)).toBeLessThanOrEqual(
          limits.promptBytes,
        );
      }
    }),
    { numRuns: 30 },
  );
});
