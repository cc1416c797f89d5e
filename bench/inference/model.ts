import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeGguf, type Tensor } from "../../scripts/demo-model/gguf/file.ts";
import { randomModel } from "../../scripts/demo-model/gguf/random-model.ts";

/** A hundred million parameters, enough to keep the cores busy with llama.cpp. */
const shape = {
  dim: 1_024,
  layers: 8,
  heads: 16,
  kvHeads: 16,
  ff: 2_816,
  ctx: 2_048,
  ropeBase: 10_000,
  eps: 1e-5,
  tied: false,
};

export type BenchModel = { readonly file: string; readonly manifest: string; readonly contextTokens: number };

/** Writes a model with random weights of 8 bits, and its manifest, into the folder. */
export async function makeModel(folder: string): Promise<BenchModel> {
  const random = randomModel("bench", shape, "q8_0");
  const bytes = encodeGguf({ ...random, tensors: random.tensors.map(withoutEnd) });
  const file = join(folder, "bench.gguf");
  const manifest = join(folder, "manifest.json");
  await writeFile(file, bytes);
  const about = {
    id: "bench",
    file: "bench.gguf",
    sha256: createHash("sha256").update(bytes).digest("hex"),
    sizeBytes: bytes.length,
    contextTokens: contextTokens,
  };
  await writeFile(manifest, JSON.stringify(about));
  return { file, manifest, contextTokens };
}

/** The ends of a text and of a message, in the vocabulary of random models. */
const endTokens = [2, 4];

/** The model never stops, so both sides write the same number of tokens. */
function withoutEnd(tensor: Tensor): Tensor {
  if (tensor.name !== "output.weight") return tensor;
  const load = (): Float32Array => {
    const weights = tensor.load();
    // A row of zeros gives zero, and one of hundreds of others is always above it.
    for (const token of endTokens) weights.fill(0, token * shape.dim, (token + 1) * shape.dim);
    return weights;
  };
  return { ...tensor, load };
}

/** Per sequence, on both sides. */
const contextTokens = 1_024;
