import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { encodeGguf } from "../../../scripts/demo-model/gguf/file.ts";
import { u32 } from "../../../scripts/demo-model/gguf/metadata.ts";
import { randomModel } from "../../../scripts/demo-model/gguf/random-model.ts";
import { inspectModel } from "./inspect-model.ts";
import { Libraries } from "./libraries.ts";

const shape = { dim: 64, layers: 2, heads: 2, kvHeads: 2, ff: 128, ctx: 8_192, ropeBase: 10_000, eps: 1e-5 };
const meanPooling = 1;

it("counts a second context only for an embedding model", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-inspect-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const chat = randomModel("chat", { ...shape, tied: true }, "q8_0");
  const embedding = {
    ...chat,
    metadata: [...chat.metadata, ["llama.pooling_type", u32(meanPooling)] as const],
  };
  const libraries = new Libraries();
  const figuresOf = async (name: string, model: typeof chat) => {
    const path = join(folder, name);
    await writeFile(path, encodeGguf(model));
    return inspectModel(libraries, { modelId: name, path, sha256: "", sizeBytes: 1, contextTokens: 2_048 });
  };
  const plain = await figuresOf("chat", chat);
  expect(plain).toMatchObject({ embeddingBytes: 0, embeddingTokenBytes: 0, trainedTokens: 8_192 });
  const figures = await figuresOf("embedding", embedding);
  expect(figures?.embeddingTokenBytes).toBeGreaterThan(figures?.tokenBytes ?? Infinity);
  const { steps = [] } = plain?.gpu ?? {};
  expect(steps.map(({ layers }) => layers)).toEqual([1, 2, 3]);
  // Each layer on the GPU takes its memory there and leaves RAM.
  const [first, second, all] = steps;
  expect(second?.vramBytes).toBeGreaterThan(first?.vramBytes ?? Infinity);
  expect(second?.ramBytes).toBeLessThan(first?.ramBytes ?? 0);
  expect(all).toMatchObject({ layers: plain?.layers });
  expect(all?.ramBytes).toBeLessThan((plain?.modelBytes ?? 0) / 2);
  expect({ ...figures, embeddingBytes: 0, embeddingTokenBytes: 0 }).toEqual(plain);
});
