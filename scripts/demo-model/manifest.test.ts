import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import manifest from "../../resources/demo-model/manifest.json" with { type: "json" };
import { decodeGguf, metadataValue, tensorLength } from "./gguf/file.ts";

const bytes = readFileSync(join(import.meta.dirname, "../../resources/demo-model", manifest.file));
const model = decodeGguf(bytes);

it("the manifest has the size and hash of the model's file", () => {
  expect(bytes).toHaveLength(manifest.sizeBytes);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(manifest.sha256);
});

it("the manifest agrees with the model's own metadata", () => {
  expect(manifest.architecture).toBe(metadataValue(model, "general.architecture"));
  expect(manifest.contextTokens).toBe(metadataValue(model, "llama.context_length"));
  expect(manifest.chatTemplateText).toBe(metadataValue(model, "tokenizer.chat_template"));
  expect(manifest.parameters).toBe(model.tensors.reduce((sum, { shape }) => sum + tensorLength(shape), 0));
  expect(manifest.quantization).toBe("Q8_0");
  expect(metadataValue(model, "general.file_type")).toBe(7);
});
