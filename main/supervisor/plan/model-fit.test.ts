import { describe, expect, it } from "vitest";
import { figures, mb } from "./figures.fixture.ts";
import { fitModel } from "./model-fit.ts";

describe("fitModel", () => {
  const wanted = { contextTokens: 4_096, sequences: 4 };
  it.each([
    ["the whole context for all sequences", 8_192, { contextTokens: 4_096, sequences: 4 }],
    ["the whole context for fewer sequences", 5_600, { contextTokens: 4_096, sequences: 2 }],
    ["a shorter context", 4_850, { contextTokens: 3_072, sequences: 1 }],
    ["the shortest context", 4_716, { contextTokens: 2_048, sequences: 1 }],
  ])("fits a model with %s", (_, memoryMb, fit) => {
    expect(fitModel(figures, wanted, memoryMb * mb)).toMatchObject({ kind: "fits", ...fit });
  });

  it("fits a model into the given memory", () => {
    for (let memoryMb = 4_716; memoryMb < 9_000; memoryMb += 37) {
      const fit = fitModel(figures, wanted, memoryMb * mb);
      expect(fit.kind).toBe("fits");
      if (fit.kind === "fits") expect(fit.bytes).toBeLessThanOrEqual(memoryMb * mb);
    }
  });

  it("returns the needed memory of a model that is too large", () => {
    expect(fitModel(figures, wanted, 4_000 * mb)).toEqual({ kind: "too-large", needBytes: 4_716 * mb });
  });

  it("counts the second context of an embedding model once for all sequences", () => {
    const embedding = { ...figures, embeddingBytes: 16 * mb, embeddingTokenBytes: mb / 4 };
    const all = 300 + 4_096 + 4 * (64 + 512);
    const embeddingMb = 16 + 1_024;
    const fit = (memoryMb: number) => fitModel(embedding, wanted, memoryMb * mb);
    expect(fit(all + embeddingMb)).toMatchObject({ sequences: 4, bytes: (all + embeddingMb) * mb });
    expect(fit(all + embeddingMb - 1)).toMatchObject({ contextTokens: 4_096, sequences: 3 });
    const shorter = fit(300 + 4_096 + 64 + 16 + (3_072 * 3) / 8);
    expect(shorter).toMatchObject({ contextTokens: 3_072, sequences: 1 });
    expect(fit(4_716)).toEqual({ kind: "too-large", needBytes: (4_716 + 16 + 512) * mb });
  });

  it("fits no longer context than the model was trained for", () => {
    const small = { ...figures, trainedTokens: 1_024 };
    expect(fitModel(small, wanted, 99_999 * mb)).toMatchObject({ contextTokens: 1_024 });
  });
});
