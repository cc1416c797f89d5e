import { asciiPieces, createVocabulary } from "../tokenizer/vocabulary.ts";
import { type GgufFile, tensorLength } from "./file.ts";
import { llamaMetadata, type LlamaShape, llamaTensors, type WeightSource } from "./llama-model.ts";
import type { TensorType } from "./tensor-encoding.ts";

/** A linear congruential generator: how random the weights are does not matter, the same file each time does. */
function createRandomWeights(): WeightSource {
  let state = 12_345;
  const next = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 0.2;
  };
  return (name, extents) => {
    const weights = new Float32Array(tensorLength(extents));
    // Norms of one leave the activations' scale alone.
    return name.includes("norm") ? weights.fill(1) : weights.map(next);
  };
}

/** A model that llama.cpp loads and that says nothing sensible. Equal arguments give equal bytes. */
export function randomModel(name: string, shape: LlamaShape, type: TensorType): GgufFile {
  const vocabulary = createVocabulary(asciiPieces);
  return {
    metadata: llamaMetadata(name, shape, vocabulary, type),
    tensors: llamaTensors(shape, vocabulary.tokens.length, type, createRandomWeights()),
  };
}
