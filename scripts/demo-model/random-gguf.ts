// Writes a model with random weights, for benchmarks: speed depends on a model's size, not on what it knows.
//   node random-gguf.ts --out random.gguf --type q8_0 --dim 1024 --layers 12 --heads 16 --ff 2816
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { encodeGguf } from "./gguf/file.ts";
import { llamaMetadata, llamaTensors, type LlamaShape, type WeightSource } from "./gguf/llama-model.ts";
import { positiveInteger, tensorType } from "./options.ts";
import { asciiPieces, createVocabulary } from "./tokenizer/vocabulary.ts";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "random.gguf" },
    type: { type: "string", default: "f16" },
    dim: { type: "string", default: "64" },
    layers: { type: "string", default: "2" },
    heads: { type: "string", default: "2" },
    ff: { type: "string", default: "128" },
    context: { type: "string", default: "512" },
    tied: { type: "boolean", default: false },
  },
});

const heads = positiveInteger("heads", values.heads);
const shape: LlamaShape = {
  dim: positiveInteger("dim", values.dim),
  layers: positiveInteger("layers", values.layers),
  heads,
  kvHeads: heads,
  ff: positiveInteger("ff", values.ff),
  ctx: positiveInteger("context", values.context),
  ropeBase: 10_000,
  eps: 1e-5,
  tied: values.tied,
};

/** A linear congruential generator: quality does not matter here, the same file every time does. */
function createRandomWeights(): WeightSource {
  let state = 12_345;
  const next = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 0.2;
  };
  return (name, extents) => {
    const weights = new Float32Array(extents.reduce((a, b) => a * b, 1));
    // Norms of one leave the activations' scale alone.
    return name.includes("norm") ? weights.fill(1) : weights.map(next);
  };
}

const type = tensorType(values.type);
const vocabulary = createVocabulary(asciiPieces);
const bytes = encodeGguf({
  metadata: llamaMetadata("probe-random", shape, vocabulary, type),
  tensors: llamaTensors(shape, vocabulary.tokens.length, type, createRandomWeights()),
});
writeFileSync(values.out, bytes);
console.log(`${values.out}: ${bytes.length} bytes, ${vocabulary.tokens.length} tokens`);
