import { expect, it } from "vitest";
import type { ArrivalRow } from "../data/rows.ts";
import { deviceSpeeds, knownFacts, originWords, unknownWords } from "./device-details.ts";

it("names the facts that a device cannot measure, including ones that this console does not know", () => {
  expect(unknownWords(["temperatureC", "moonPhase"])).toBe("temperature, moonPhase");
  expect(unknownWords([])).toBe("");
  expect(unknownWords(null)).toBe("");
});

it("lists the facts that a device has reported, and no others", () => {
  const capabilities = {
    kinds: ["chat", "embedding"],
    memoryMb: 16_384,
    vramMb: 7_680,
    gpu: true,
    concurrency: 2,
    contexts: [
      { model: "a", contextTokens: 4_096 },
      { model: "b", contextTokens: 32_768 },
    ],
    tags: ["backend:cpu", "backend:cuda", "fast disk"],
  };
  expect(knownFacts({ platform: "linux x64", version: "0.2.1", capabilities, signs: true })).toEqual([
    ["System", "Linux x64"],
    ["Version", "0.2.1"],
    ["GPU for models", "cuda"],
    ["Kinds of jobs", "chat, embedding"],
    ["Own tags", "fast disk"],
    ["Signs its results", "yes"],
    ["Memory for jobs", "17.2 GB"],
    ["Free GPU memory", "8.1 GB"],
    ["Jobs at once", "2"],
    ["Longest context, in tokens", "32,768"],
  ]);
  expect(knownFacts({ platform: "linux x64", version: null, capabilities: null, signs: false })).toEqual([
    ["System", "Linux x64"],
    ["Signs its results", "no"],
  ]);
});

it("lists a device's measured speeds", () => {
  const speed = { prefill: 420.4, generate: 3.81, backend: "cpu" };
  const models = [
    { modelId: "a", state: "ready", speed },
    { modelId: "b", state: "missing" },
  ] as const;
  expect(deviceSpeeds({ models: [...models] })).toEqual([{ modelId: "a", words: "420 / 3.8 tok/s, cpu" }]);
});

it("tells by which code and from where a device came", () => {
  const codeId = "c1" as NonNullable<ArrivalRow["enrolledBy"]>["codeId"];
  const enrolledBy = { codeId, label: "Lab" };
  expect(originWords({ enrolledBy, enrolledFrom: "192.0.2.7" })).toBe("By the code Lab, from 192.0.2.7");
  expect(originWords({ enrolledBy, enrolledFrom: null })).toBe("By the code Lab, from an unknown address");
  const long = { codeId, label: "x".repeat(120) };
  expect(originWords({ enrolledBy: long, enrolledFrom: "192.0.2.7" })).toBe(
    `By the code ${"x".repeat(59)}…, from 192.0.2.7`,
  );
  expect(originWords({ enrolledBy: null, enrolledFrom: null })).toBe("");
});
