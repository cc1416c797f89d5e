// Writes a model with random weights, for benchmarks. A model's speed depends only on its size.
//   node random-gguf.ts --out random.gguf --type q8_0 --dim 1024 --layers 12 --heads 16 --ff 2816
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { encodeGguf } from "./gguf/file.ts";
import { randomModel } from "./gguf/random-model.ts";
import { positiveInteger, tensorType } from "./options.ts";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "random.gguf" },
    name: { type: "string", default: "random" },
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
const shape = {
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
const bytes = encodeGguf(randomModel(values.name, shape, tensorType(values.type)));
writeFileSync(values.out, bytes);
console.log(`${values.out}: ${bytes.length} bytes`);
