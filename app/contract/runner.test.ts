import { describe, expect, it } from "vitest";
import { parseFromRunner, parseToRunner } from "./runner.ts";

describe("the runner's protocol", () => {
  const model = { modelId: "m", path: "/m", sha256: "0".repeat(64), sizeBytes: 1, contextTokens: 512 };
  const plan = {
    threads: 1,
    contextTokens: 512,
    sequences: 2,
    backends: ["cpu"],
    gpuLayers: "auto",
    measure: true,
  };
  const messages = [{ role: "user", content: "hi" }];
  const request = { messages, maxTokens: 64, temperature: 0, topP: 1, seed: 1, stop: [] };
  const job = { attemptId: "a", model, work: { kind: "chat", request }, plan };
  const run = { type: "run", job };

  it("accepts messages that follow the protocol", () => {
    expect(parseToRunner(run)).toEqual(run);
    const onGpu = { ...plan, backends: ["cuda"], gpuLayers: { least: 29, most: 33 } };
    const withGpu = { ...run, job: { ...run.job, plan: onGpu } };
    expect(parseToRunner(withGpu)).toEqual(withGpu);
    expect(parseFromRunner({ type: "text", attemptId: "a", text: "b" })).not.toBeNull();
  });

  it.each([
    null,
    "run",
    { type: "execute" },
    { ...run, job: { ...job, plan: { ...plan, threads: 0 } } },
    { ...run, job: { ...job, plan: { ...plan, sequences: 0 } } },
    { ...run, job: { ...job, work: { kind: "poem", request } } },
    { type: "limit", threads: 1, dutyCycle: -0.1 },
    { ...run, job: { ...job, model: { ...model, sha256: "x" } } },
    { ...run, job: { ...job, work: { kind: "chat", request: { ...request, maxTokens: 1e9 } } } },
    { ...run, job: { ...job, work: { kind: "chat", request: { ...request, messages: [] } } } },
  ])("rejects other messages: %j", (message) => {
    expect(parseToRunner(message)).toBeNull();
  });
});
