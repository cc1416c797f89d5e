import { asciiPieces, createVocabulary } from "../tokenizer/vocabulary.ts";
import { type GgufFile, tensorLength } from "./file.ts";
import { llamaMetadata, type LlamaShape, llamaTensors, type WeightSource } from "./llama-model.ts";
import type { TensorType } from "./tensor-encoding.ts";

/** A linear congruential generator. The weights need not be very random, but the file must be the same each time. */
function createRandomWeights(): WeightSource {
  let state = 12_345;
  const next = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 0.2;
  };
  return (name, extents) => {
    const weights = new Float32Array(tensorLength(extents));
    // Norms of one do not change the scale of the activations.
    return name.includes("norm") ? weights.fill(1) : weights.map(next);
  };
}

/** A model that llama.cpp can load, with meaningless output. Equal arguments give equal bytes. */
export function randomModel(name: string, shape: LlamaShape, type: TensorType): GgufFile {
  const vocabulary = createVocabulary(asciiPieces);
  return {
    metadata: llamaMetadata(name, shape, vocabulary, type),
    tensors: llamaTensors(shape, vocabulary.tokens.length, type, createRandomWeights()),
  };
}
