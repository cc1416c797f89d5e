// Makes the vocabulary and the training and validation sets that train.py reads.
//   node prepare.ts --out build
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createSampler } from "./corpus/sampler.ts";
import { positiveInteger } from "./options.ts";
import { createEncoder } from "./tokenizer/encoder.ts";
import { trainVocabulary } from "./tokenizer/train-vocabulary.ts";
import { corpusSeeds, createSampleEncoder, trainingSamples } from "./training-data.ts";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "build" },
    vocabulary: { type: "string", default: "1280" },
    samples: { type: "string", default: String(trainingSamples) },
    "validation-samples": { type: "string", default: "2000" },
  },
});
mkdirSync(values.out, { recursive: true });

function* texts(seed: number, samples: number): Generator<string> {
  const sample = createSampler(seed);
  for (let left = samples; left > 0; left -= 1) {
    const { prompt, answer } = sample();
    yield prompt;
    yield answer;
  }
}

const vocabulary = trainVocabulary(
  texts(corpusSeeds.vocabulary, 30_000),
  positiveInteger("vocabulary", values.vocabulary),
);
writeFileSync(join(values.out, "vocab.json"), JSON.stringify(vocabulary));
console.log(`vocabulary: ${vocabulary.tokens.length} tokens`);

const encodeSample = createSampleEncoder(createEncoder(vocabulary));

/** NAME.ids: token ids, 16 bits each; NAME.w: their loss weights, one byte each. */
function writeSet(name: string, seed: number, samples: number): void {
  const sample = createSampler(seed);
  const ids: number[] = [];
  const weights: number[] = [];
  for (let index = 0; index < samples; index += 1) {
    const encoded = encodeSample(sample(), index);
    ids.push(...encoded.ids);
    weights.push(...encoded.weights);
  }
  writeFileSync(join(values.out, `${name}.ids`), Buffer.from(Uint16Array.from(ids).buffer));
  writeFileSync(join(values.out, `${name}.w`), Uint8Array.from(weights));
  console.log(`${name}: ${samples} samples, ${ids.length} tokens`);
}

writeSet("train", corpusSeeds.training, positiveInteger("samples", values.samples));
writeSet("val", corpusSeeds.validation, positiveInteger("validation-samples", values["validation-samples"]));
