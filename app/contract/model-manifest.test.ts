import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { modelManifest } from "./model-manifest.ts";

const valid = {
  id: "demo",
  file: "demo.gguf",
  sha256: "0".repeat(64),
  sizeBytes: 1,
  contextTokens: 1,
};

it("accepts the shipped manifest, and ignores unknown fields", () => {
  const shipped = new URL("../../resources/demo-model/manifest.json", import.meta.url);
  expect(modelManifest.parse(JSON.parse(readFileSync(shipped, "utf8"))).file).toMatch(/\.gguf$/);
  expect(modelManifest.parse({ ...valid, license: "MIT" })).toEqual(valid);
});

it.each([
  { file: "../demo.gguf" },
  { file: "/etc/passwd" },
  { file: "..\\demo.gguf" },
  { file: "C:demo.gguf" },
  { file: ".." },
  { file: "" },
  { file: undefined },
  { id: "" },
  { sha256: "0".repeat(63) },
  { sha256: "G".repeat(64) },
  { sizeBytes: 0 },
  { sizeBytes: 1.5 },
  { contextTokens: -1 },
  { contextTokens: "4096" },
])("rejects a manifest with %j", (changed) => {
  expect(modelManifest.safeParse({ ...valid, ...changed }).success).toBe(false);
});
