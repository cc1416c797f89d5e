// Turns what train.py wrote (PREFIX.bin, PREFIX.json) into a GGUF file.
//   node export.ts --data build --checkpoint build/model --type q8_0 --out gleaner-demo-q8.gguf
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import * as z from "zod";
import { encodeGguf } from "./gguf/file.ts";
import { llamaMetadata, llamaTensors, type WeightSource } from "./gguf/llama-model.ts";
import { tensorType } from "./options.ts";
import { readVocabulary } from "./training-data.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "build" },
    checkpoint: { type: "string", default: "build/model" },
    type: { type: "string", default: "q8_0" },
    name: { type: "string", default: "offline-demo" },
    out: { type: "string", default: "gleaner-demo-q8.gguf" },
  },
});

const positive = z.number().int().positive();
const checkpointSchema = z.object({
  cfg: z.object({
    dim: positive,
    layers: positive,
    heads: positive,
    kvHeads: positive,
    ff: positive,
    ctx: positive,
    ropeBase: z.number().positive(),
    eps: z.number().positive(),
    tied: z.boolean(),
  }),
  /** Name, byte offset in PREFIX.bin, and shape in PyTorch's order. */
  tensors: z.record(z.string(), z.tuple([z.number().int().nonnegative(), z.array(positive)])),
});

const { cfg, tensors } = checkpointSchema.parse(
  JSON.parse(readFileSync(`${values.checkpoint}.json`, "utf8")),
);
const raw = readFileSync(`${values.checkpoint}.bin`);

const weights: WeightSource = (name, shape) => {
  const entry = tensors[name];
  if (entry === undefined) throw new Error(`the checkpoint lacks ${name}`);
  const [offset, trained] = entry;
  // PyTorch gives the number of rows first, ggml the length of a row. The numbers are in the same order.
  if (trained.toReversed().join() !== shape.join()) throw new Error(`${name} is ${trained.join("×")}`);
  const length = shape.reduce((a, b) => a * b, 1);
  return Float32Array.from({ length }, (_, i) => raw.readFloatLE(offset + i * 4));
};

const vocabulary = readVocabulary(values.data);
const type = tensorType(values.type);
const bytes = encodeGguf({
  metadata: llamaMetadata(values.name, cfg, vocabulary, type),
  tensors: llamaTensors(cfg, vocabulary.tokens.length, type, weights),
});
writeFileSync(values.out, bytes);
console.log(`${values.out}: ${bytes.length} bytes`);
