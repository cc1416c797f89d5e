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
    // A row of zeros gives a logit of zero, and one of hundreds of other logits is always larger.
    for (const token of endTokens) weights.fill(0, token * shape.dim, (token + 1) * shape.dim);
    return weights;
  };
  return { ...tensor, load };
}

/** Per sequence, on both sides. */
const contextTokens = 1_024;

/** Prompts that share only the template, so that a cache does not help. About one token per character. */
export function differentPrompts(count: number, round: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const number = round * 1_000 + index;
    // The first words differ by a scattered number.
    return `${(number * 2_654_435_761) % 2 ** 32} ${"lamp river stone ".repeat(7)}${number}?`;
  });
}

/** Prompts with the same first 80 % and different ends. */
export function sharedPrefixPrompts(count: number): {
  readonly system: string;
  readonly questions: readonly string[];
} {
  const system = "You sort letters by what they are about, and say so in one word. ".repeat(9);
  const own = Math.round((system.length / 0.8) * 0.2);
  const questions = Array.from({ length: count }, (_, index) =>
    `${(index + 1) * 7_919} ${"about a matter of its own ".repeat(10)}`.slice(0, own),
  );
  return { system, questions };
}
