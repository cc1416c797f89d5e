import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { LoadPlan, ModelFile } from "../../app/contract/runner.ts";
import { confinementVariable } from "../../app/contract/runner-start.ts";
import type { ChatRequest } from "../../app/jobs/chat.ts";
import { readManifest } from "../models/manifest.ts";

export const demoManifestPath = fileURLToPath(
  new URL("../../resources/demo-model/manifest.json", import.meta.url),
);

export const runnerEntry = fileURLToPath(new URL("./runner-process.ts", import.meta.url));

/** A runner may read the models of a test: those below the temporary folder, and the one in this repository. */
export const testConfinement = confinementVariable({
  read: [tmpdir(), dirname(demoManifestPath)],
  cache: null,
  bubblewrap: null,
  off: false,
});

/** The model in this repository. It is real, and fast enough for tests. */
export async function demoModel(): Promise<ModelFile> {
  const found = await readManifest(demoManifestPath);
  if (found === null) throw new Error(`no model manifest at ${demoManifestPath}`);
  return found;
}

export function chat(content: string, options: Partial<ChatRequest> = {}): ChatRequest {
  return {
    messages: [{ role: "user", content }],
    maxTokens: 64,
    temperature: 0,
    topP: 1,
    seed: 1,
    stop: [],
    ...options,
  };
}

/** A job with a grammar that never ends, so its answer nearly fills a context of 4,096 tokens. */
export function endless(prompt: string): ChatRequest {
  return chat(prompt, {
    maxTokens: 3_900,
    temperature: 1,
    format: { kind: "grammar", grammar: "root ::= [a-z ] root" },
  });
}

/** A plan for tests: the CPU, one thread, and the model's whole context. */
export function planOf(model: ModelFile, changed: Partial<LoadPlan> = {}): LoadPlan {
  const { contextTokens } = model;
  return { threads: 1, contextTokens, sequences: 2, backends: ["cpu"], gpuLayers: "auto", ...changed };
}
