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
