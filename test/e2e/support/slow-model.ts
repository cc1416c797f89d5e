import { createHash } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeGguf, type GgufFile } from "../../../scripts/demo-model/gguf/file.ts";
import { randomModel } from "../../../scripts/demo-model/gguf/random-model.ts";
import { firstByteToken } from "../../../scripts/demo-model/tokenizer/vocabulary.ts";

const context = 2_048;

/**
 * Writes a model with random weights that is slow enough to watch. Its answers always have the requested length.
 * Returns the folder with the file and its manifest.
 */
export async function makeSlowModel(): Promise<string> {
  const shape = {
    dim: 768,
    layers: 10,
    heads: 12,
    kvHeads: 12,
    ff: 2_048,
    ctx: context,
    ropeBase: 10_000,
    eps: 1e-5,
    tied: false,
  };
  const bytes = encodeGguf(endless(randomModel("slow", shape, "q8_0"), shape.dim));
  const folder = await mkdtemp(join(tmpdir(), "gleaner-slow-model-"));
  await writeFile(join(folder, "slow.gguf"), bytes);
  const manifest = {
    id: "slow-random",
    file: "slow.gguf",
    sha256: createHash("sha256").update(bytes).digest("hex"),
    sizeBytes: bytes.length,
    contextTokens: context,
  };
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
  return folder;
}

/** Removes the tokens that end an answer: with weights of 0, another token is always more likely. */
function endless(model: GgufFile, dim: number): GgufFile {
  return {
    ...model,
    tensors: model.tensors.map((tensor) =>
      tensor.name === "output.weight"
        ? { ...tensor, load: () => tensor.load().fill(0, 0, firstByteToken * dim) }
        : tensor,
    ),
  };
}
