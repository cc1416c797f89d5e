import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sample } from "./corpus/sampler.ts";
import { entryAt } from "./entry-at.ts";
import type { Encoder } from "./tokenizer/encoder.ts";
import { turnEnd, turnStart, type Vocabulary } from "./tokenizer/vocabulary.ts";

/** The seeds of the corpora. The held-out prompts of evaluate.ts come from none of these. */
export const corpusSeeds = { vocabulary: 11, training: 101, validation: 999 } as const;

/** Samples in the training set of the shipped model. */
export const trainingSamples = 220_000;

/** The weight of a token in the loss, out of 255. Text that the model need not produce counts little. */
const lossWeight = { answer: 255, prompt: 40, lineEnd: 40, frame: 0 } as const;

const systemPrompts = [
  "You are a helpful assistant.",
  "You are a helpful assistant that gives short answers.",
  "Answer briefly.",
  "You are a small offline demo model.",
];

interface EncodedSample {
  readonly ids: readonly number[];
  /** One weight per id. */
  readonly weights: readonly number[];
}

/** Frames samples as ChatML. Some begin with `<s>` and a system prompt, because chat programs differ. */
export function createSampleEncoder(encode: Encoder): (sample: Sample, index: number) => EncodedSample {
  const lineEnd = encode("\n");
  const systemTurns = systemPrompts.map((text) => [
    turnStart,
    ...encode(`system\n${text}`),
    turnEnd,
    ...lineEnd,
  ]);
  const userTurn = [turnStart, ...encode("user\n")];
  const assistantTurn = [turnEnd, ...lineEnd, turnStart, ...encode("assistant\n")];

  return ({ prompt, answer }, index) => {
    const percentile = hashIndex(index) % 100;
    const parts: (readonly [ids: readonly number[], weight: number])[] = [
      [percentile < 60 ? [1] : [], lossWeight.frame],
      [percentile < 25 ? entryAt(systemTurns, percentile % systemTurns.length) : [], lossWeight.frame],
      [userTurn, lossWeight.frame],
      [encode(prompt), lossWeight.prompt],
      [assistantTurn, lossWeight.frame],
      [encode(answer), lossWeight.answer],
      [[turnEnd], lossWeight.answer],
      [lineEnd, lossWeight.lineEnd],
    ];
    return {
      ids: parts.flatMap(([ids]) => ids),
      weights: parts.flatMap(([ids, weight]) => ids.map(() => weight)),
    };
  };
}

/** Scatters the index (Knuth's multiplicative hash), so that the framing varies without a random stream. */
function hashIndex(index: number): number {
  return (index * 2_654_435_761) >>> 0;
}

/** Reads the vocabulary that prepare.ts wrote to the folder. It is our own file, so it is not validated. */
export function readVocabulary(folder: string): Vocabulary {
  return JSON.parse(readFileSync(join(folder, "vocab.json"), "utf8")) as Vocabulary;
}
