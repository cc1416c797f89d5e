import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isRight } from "../../../launch/farm/grading.ts";
import manifest from "../../../resources/demo-model/manifest.json" with { type: "json" };
import { createSampler } from "../corpus/sampler.ts";
import { decodeGguf, metadataValue } from "../gguf/file.ts";
import { drawSuggestedPrompts } from "../suggested-prompts.ts";
import { createEncoder } from "../tokenizer/encoder.ts";
import { createVocabulary, fixedTokens } from "../tokenizer/vocabulary.ts";
import { type LoadedModel, loadModel } from "./model.ts";

const path = join(import.meta.dirname, "../../../resources/demo-model", manifest.file);
const patient = { timeout: 60_000 };
let model: LoadedModel;

beforeAll(async () => {
  model = await loadModel(path);
}, patient.timeout);
afterAll(() => model.close());

it(
  "the shipped model answers at least nine in ten suggested prompts as the grammar says",
  patient,
  async () => {
    let right = 0;
    const prompts = drawSuggestedPrompts();
    for (const { prompt, answer } of prompts) if (isRight(answer, (await model.ask(prompt)).text)) right += 1;
    expect(right / prompts.length).toBeGreaterThanOrEqual(0.9);
  },
);

it.each(manifest.tasks)(
  "the shipped model answers the manifest's example of $name",
  patient,
  async ({ prompt, expect: expected }) => {
    expect((await model.ask(prompt)).text).toBe(expected);
  },
);

it("llama.cpp splits text into the tokens that the model was trained on", () => {
  const tokens = metadataValue(decodeGguf(readFileSync(path)), "tokenizer.ggml.tokens") as readonly string[];
  const encode = createEncoder(createVocabulary(tokens.slice(fixedTokens)));
  const sample = createSampler(77);
  for (const { prompt, answer } of Array.from({ length: 300 }, () => sample())) {
    expect(model.tokenize(prompt)).toEqual(encode(prompt));
    expect(model.tokenize(answer)).toEqual(encode(answer));
  }
  expect(model.tokenize("Müller zahlt 5 €")).toEqual(encode("Müller zahlt 5 €"));
});
