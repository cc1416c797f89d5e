import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSampler } from "./corpus/sampler.ts";
import { decodeGguf, metadataValue } from "./gguf/file.ts";
import { createEncoder } from "./tokenizer/encoder.ts";
import { createVocabulary, fixedTokens } from "./tokenizer/vocabulary.ts";
import { corpusSeeds, createSampleEncoder } from "./training-data.ts";

const shipped = decodeGguf(
  readFileSync(join(import.meta.dirname, "../../resources/demo-model/gleaner-demo-q8.gguf")),
);
const tokens = metadataValue(shipped, "tokenizer.ggml.tokens") as readonly string[];
const vocabulary = createVocabulary(tokens.slice(fixedTokens));

it("createVocabulary builds the shipped vocabulary out of its pieces", () => {
  expect(vocabulary.tokens).toEqual(tokens);
  expect(vocabulary.types).toEqual(metadataValue(shipped, "tokenizer.ggml.token_type"));
  // The first piece has −0 here. On its way to the export, JSON dropped the sign.
  expect(vocabulary.scores.map((score) => score + 0)).toEqual(
    metadataValue(shipped, "tokenizer.ggml.scores"),
  );
  expect(vocabulary.chatTemplate).toBe(metadataValue(shipped, "tokenizer.chat_template"));
});

it("the first thousand training samples are encoded as the model saw them", () => {
  const encode = createSampleEncoder(createEncoder(vocabulary));
  const sample = createSampler(corpusSeeds.training);
  const encoded = Array.from({ length: 1_000 }, (_, index) => encode(sample(), index));
  const ids = Uint16Array.from(encoded.flatMap((one) => one.ids));
  const weights = Uint8Array.from(encoded.flatMap((one) => one.weights));
  expect(ids).toHaveLength(55_109);
  expect(createHash("sha256").update(Buffer.from(ids.buffer)).digest("hex")).toBe(
    "a6887ab366841a280f08cf3606349dff7922787f80a9135f97c177aa2a574299",
  );
  expect(createHash("sha256").update(weights).digest("hex")).toBe(
    "b6c1a095517884080825be281751cc1df4cf698f8da07251e1f2071a8204bff3",
  );
});
