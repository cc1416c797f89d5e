import type { ModelFigures } from "../../../app/contract/runner.ts";

export const mb = 2 ** 20;
/** 4 GB, and half a gigabyte for 4,096 tokens. */
export const figures: ModelFigures = {
  modelBytes: 4_096 * mb,
  contextBytes: 64 * mb,
  tokenBytes: mb / 8,
  embeddingBytes: 0,
  embeddingTokenBytes: 0,
  trainedTokens: 8_192,
  layers: 32,
};

/** A file of 4.9 GB with 33 layers. Its input stays in RAM, and its output is the last layer. */
export const largeModel: ModelFigures = {
  ...figures,
  modelBytes: 4_672 * mb,
  layers: 33,
  gpu: {
    steps: [5, 9, 13, 17, 21, 25, 29, 33].map((layers) => ({
      layers,
      ramBytes: (288 + (33 - layers) * 132) * mb,
      vramBytes: (28 + layers * 132) * mb,
    })),
    contextBytes: 128 * mb,
    tokenBytes: mb / 8,
  },
};
