import { expect, it } from "vitest";
import { factsForm, factWords, type FileFacts } from "./file-facts.ts";
import { emptyForm, parseForm } from "./model-form.ts";

const facts: FileFacts = {
  kind: "read",
  modelId: "qwen3-4b-q4_k_m",
  source: "hf:Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf",
  sizeBytes: 2_497_280_256,
  sha256: "ab".repeat(32),
  contextTokens: 40_960,
  licence: "apache-2.0",
  hasTemplate: true,
  architecture: "qwen3",
  needsBytes: 4_100_000_000,
  devices: 12,
  fitting: 9,
};

it("fills the form so that nothing has to be typed", () => {
  expect(parseForm({ ...emptyForm, ...factsForm(facts) })).toMatchObject({
    kind: "ok",
    entry: { modelId: "qwen3-4b-q4_k_m", sha256: facts.sha256, sizeBytes: facts.sizeBytes, template: null },
  });
});

it("tells the model, the memory, and the devices that could run it", () => {
  const [model, memory, ...others] = factWords(facts);
  expect(model).toContain("A qwen3 model of");
  expect(model).toContain("40,960 tokens and a chat template.");
  expect(memory).toContain("9 of 12 devices could run it.");
  expect(others).toEqual([]);
  expect(factWords({ ...facts, devices: 0, fitting: 0 })[1]).toContain("There are no devices yet.");
});

it("says how to get a hash that the server does not tell, and leaves the field for it empty", () => {
  const unknown = { ...facts, sha256: null };
  expect(factWords(unknown)[2]).toContain("From your own file");
  expect(parseForm({ ...emptyForm, ...factsForm(unknown) })).toMatchObject({
    kind: "wrong",
    problems: { sha256: expect.any(String) as string },
  });
});
