import { describe, expect, it } from "vitest";
import { figures, largeModel, mb } from "./figures.fixture.ts";
import { type Fit, fitModel, type MemoryForModels } from "./model-fit.ts";

const inRam = (memoryMb: number): MemoryForModels => ({ ramBytes: memoryMb * mb, vramBytes: null });

describe("fitModel", () => {
  const wanted = { contextTokens: 4_096, sequences: 4 };
  it.each([
    ["the whole context for all sequences", 8_192, { contextTokens: 4_096, sequences: 4 }],
    ["the whole context for fewer sequences", 5_600, { contextTokens: 4_096, sequences: 2 }],
    ["a shorter context", 4_850, { contextTokens: 3_072, sequences: 1 }],
    ["the shortest context", 4_716, { contextTokens: 2_048, sequences: 1 }],
  ])("fits a model with %s", (_, memoryMb, fit) => {
    expect(fitModel(figures, wanted, inRam(memoryMb))).toMatchObject({ kind: "fits", ...fit });
  });

  it("fits a model into the given memory", () => {
    for (let memoryMb = 4_716; memoryMb < 9_000; memoryMb += 37) {
      const fit = fitModel(figures, wanted, inRam(memoryMb));
      expect(fit.kind).toBe("fits");
      if (fit.kind === "fits") expect(fit.bytes).toBeLessThanOrEqual(memoryMb * mb);
    }
  });

  it("offers 2,304 of 8,192 tokens of a model of 4.9 GB with 5.6 GB", () => {
    const model = { ...figures, modelBytes: 4.9e9 };
    const memory = { ramBytes: 5.6e9, vramBytes: null };
    expect(fitModel(model, { contextTokens: 8_192, sequences: 1 }, memory)).toMatchObject({
      kind: "fits",
      contextTokens: 2_304,
      isWhole: false,
    });
  });

  it("returns the needed memory of a model that is too large", () => {
    expect(fitModel(figures, wanted, inRam(4_000))).toEqual({ kind: "too-large", needBytes: 4_716 * mb });
  });

  it("counts the second context of an embedding model once for all sequences", () => {
    const embedding = { ...figures, embeddingBytes: 16 * mb, embeddingTokenBytes: mb / 4 };
    const all = 300 + 4_096 + 4 * (64 + 512);
    const embeddingMb = 16 + 1_024;
    const fit = (memoryMb: number) => fitModel(embedding, wanted, inRam(memoryMb));
    expect(fit(all + embeddingMb)).toMatchObject({ sequences: 4, bytes: (all + embeddingMb) * mb });
    expect(fit(all + embeddingMb - 1)).toMatchObject({ contextTokens: 4_096, sequences: 3 });
    const shorter = fit(300 + 4_096 + 64 + 16 + (3_072 * 3) / 8);
    expect(shorter).toMatchObject({ contextTokens: 3_072, sequences: 1 });
    expect(fit(4_716)).toEqual({ kind: "too-large", needBytes: (4_716 + 16 + 512) * mb });
  });

  it("fits no longer context than the model was trained for", () => {
    const small = { ...figures, trainedTokens: 1_024 };
    expect(fitModel(small, wanted, inRam(99_999))).toMatchObject({ contextTokens: 1_024 });
  });
});

describe("fitModel with a GPU", () => {
  const wanted = { contextTokens: 4_096, sequences: 2 };
  const fit = (ramMb: number, vramMb: number | null, asked = wanted): Fit =>
    fitModel(largeModel, asked, { ramBytes: ramMb * mb, vramBytes: vramMb === null ? null : vramMb * mb });

  it("places all layers in the GPU's memory, and can fall back to RAM where that is large enough", () => {
    expect(fit(7_000, 6_528)).toMatchObject({
      kind: "fits",
      place: "vram",
      gpuLayers: { least: 0, most: 33 },
      needsGpu: false,
      contextTokens: 4_096,
      isWhole: true,
      sequences: 2,
    });
  });

  it("fits a model of 4.9 GB into 8 GB of a GPU beside 2 GB of RAM", () => {
    // Less the shares that stay free.
    const found = fit(1_740, 6_528);
    expect(found).toMatchObject({ place: "vram", needsGpu: true, gpuLayers: { most: 33 }, sequences: 2 });
    // Without some of its layers on the GPU, the rest would not fit into RAM.
    expect(found).toMatchObject({ gpuLayers: { least: 29 } });
    expect(fit(1_740, null)).toMatchObject({ kind: "too-large" });
  });

  it("splits a model that fits into neither memory by itself", () => {
    expect(fit(3_500, null)).toMatchObject({ kind: "too-large" });
    expect(fit(3_500, 3_500)).toMatchObject({
      place: "split",
      needsGpu: true,
      gpuLayers: { most: 17 },
      contextTokens: 4_096,
    });
    expect(fit(1_740, 3_500)).toMatchObject({ kind: "too-large" });
  });

  it("uses RAM only if no layer fits into the GPU's memory", () => {
    expect(fit(7_000, 200)).toMatchObject({ place: "ram", gpuLayers: null, needsGpu: false, vramBytes: 0 });
  });

  it("prefers the wanted context to layers on the GPU", () => {
    const long = { contextTokens: 8_192, sequences: 1 };
    expect(fit(7_000, 5_300, long)).toMatchObject({ place: "split", contextTokens: 8_192, isWhole: true });
    // Without room elsewhere, it offers the context that the GPU holds.
    const short = fit(1_000, 5_500, long);
    expect(short).toMatchObject({ place: "vram", isWhole: false, sequences: 1 });
    // 688 MiB beside the weights and the buffers, in steps of 256 tokens.
    expect(short).toMatchObject({ contextTokens: 5_376 });
  });

  it("keeps within both memories", () => {
    for (let ramMb = 700; ramMb < 8_000; ramMb += 211) {
      for (let vramMb = 0; vramMb < 8_000; vramMb += 307) {
        const found = fit(ramMb, vramMb);
        if (found.kind !== "fits") continue;
        expect(found.bytes).toBeLessThanOrEqual(ramMb * mb);
        expect(found.vramBytes).toBeLessThanOrEqual(vramMb * mb);
        // More memory never offers less context.
        const more = fit(ramMb, vramMb + 307);
        expect(more.kind === "fits" && more.contextTokens).toBeGreaterThanOrEqual(found.contextTokens);
      }
    }
  });

  it("does not use a GPU for a model whose split is not known yet", () => {
    const memory = { ramBytes: 8_192 * mb, vramBytes: 8_192 * mb };
    expect(fitModel(figures, wanted, memory)).toMatchObject({ place: "ram", gpuLayers: null });
  });
});
