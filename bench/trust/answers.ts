import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LoadPlan, ModelFile, RunnerResult, RunnerWork } from "../../app/contract/runner.ts";
import type { ChatRequest, ChatResult } from "../../app/jobs/chat.ts";
import type { Replay } from "../../app/trust/replay.ts";
import { planOf, runnerEntry, testConfinement } from "../../main/runner/runner.fixture.ts";
import { forkRunner } from "../../main/supervisor/process/fork-runner.ts";
import type { SpawnRunner } from "../../main/supervisor/process/runner-child.ts";
import { RunnerSupervisor } from "../../main/supervisor/supervisor.ts";
import { decodeGguf, encodeGguf, type GgufFile } from "../../scripts/demo-model/gguf/file.ts";

export type Answer = Pick<ChatResult, "text" | "finishReason">;

type RunnerOptions = { readonly spawn?: SpawnRunner; readonly plan?: Partial<LoadPlan> };

/** A runner with its supervisor, as on a donor. */
export class BenchRunner {
  readonly #supervisor: RunnerSupervisor;
  readonly #plan: Partial<LoadPlan>;
  #attempts = 0;

  constructor({ spawn = () => forkRunner(runnerEntry)(testConfinement), plan = {} }: RunnerOptions = {}) {
    this.#supervisor = new RunnerSupervisor(spawn, () => undefined);
    this.#plan = plan;
  }

  async answer(model: ModelFile, request: ChatRequest): Promise<ChatResult> {
    const result = await this.run(model, { kind: "chat", request });
    if (!("text" in result)) throw new Error("not a text");
    return result;
  }

  /** Returns the replay, and how long it took in ms. */
  async replay(
    model: ModelFile,
    request: ChatRequest,
    { text, finishReason }: Answer,
  ): Promise<{ readonly replay: Replay; readonly ms: number }> {
    const of = { kind: "chat", request } as const;
    const result = await this.run(model, {
      kind: "replay",
      request: { of, answer: { text, finishReason } },
    });
    if (!("replay" in result)) throw new Error("not a replay");
    return { replay: result.replay, ms: result.timing.prefillMs };
  }

  stop(): Promise<void> {
    return this.#supervisor.stop();
  }

  /** Errors: a work that the runner cannot do. */
  async run(model: ModelFile, work: RunnerWork): Promise<RunnerResult> {
    this.#attempts += 1;
    const job = {
      attemptId: `bench ${String(this.#attempts)}`,
      model,
      work,
      plan: planOf(model, this.#plan),
    };
    const outcome = await this.#supervisor.run(job, {
      loaded: () => undefined,
      measured: () => undefined,
      text: () => undefined,
    });
    if (outcome.kind !== "done") throw new Error(JSON.stringify(outcome));
    return outcome.result;
  }
}

/** Writes a changed copy of a model into the folder. */
export async function alteredModel(
  model: ModelFile,
  folder: string,
  name: string,
  alter: (file: GgufFile) => GgufFile,
): Promise<ModelFile> {
  const bytes = encodeGguf(alter(decodeGguf(await readFile(model.path))));
  const path = join(folder, `${name}.gguf`);
  await writeFile(path, bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { ...model, modelId: name, path, sha256, sizeBytes: bytes.length };
}

const promptsFile = new URL("../../resources/demo-model/suggested-prompts.json", import.meta.url);

/** The sixty questions of the demonstration. */
export async function suggestedPrompts(): Promise<readonly string[]> {
  const all = JSON.parse(await readFile(promptsFile, "utf8")) as readonly { readonly prompt: string }[];
  return all.map(({ prompt }) => prompt);
}
