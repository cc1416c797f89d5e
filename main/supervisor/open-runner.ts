import { join } from "node:path";
import type { Log } from "../log.ts";
import { cudaEnvironment } from "../runner/load/cuda-packages.ts";
import { ModelKnowledge } from "./plan/model-knowledge.ts";
import { memoryForModels, type MemoryNow } from "./plan/model-memory.ts";
import { ModelPlans } from "./plan/model-plans.ts";
import { runnerThreads } from "./plan/parallelism.ts";
import type { SpawnRunner } from "./process/runner-child.ts";
import { gpuEnvironment } from "./process/runner-environment.ts";
import { RunnerSupervisor } from "./supervisor.ts";

/** Its jobs are computed there, whatever few threads they have besides: several at once are worth it. */
const hasAppleGpu = process.platform === "darwin" && process.arch === "arm64";

export type RunnerParts = {
  /** The donor's own folder: what is known of its models lives there, and CUDA may. */
  readonly dataDir: string;
  readonly spawnRunner: SpawnRunner;
  /** GPUs, by the system's number, that a process which is started now is not to see. */
  readonly deniedGpus: () => readonly number[];
  /** What the computer and the rules leave for models. */
  readonly memory: () => Omit<MemoryNow, "runnerPid">;
  /** A process has ended: what it held is free. */
  readonly onEnded: () => void;
  readonly log: Log;
};

/** A donor's runner, and what it found out of the models that it can run. */
export type OpenRunner = {
  readonly runner: RunnerSupervisor;
  readonly plans: ModelPlans;
  readonly knowledge: ModelKnowledge;
  /** The most threads that it may use on this machine. */
  readonly threads: number;
};

/** Makes a runner ready. Its process starts with the first work. */
export async function openRunner({
  dataDir,
  spawnRunner,
  deniedGpus,
  memory,
  onEnded,
  log,
}: RunnerParts): Promise<OpenRunner> {
  const threads = await runnerThreads();
  const runner = new RunnerSupervisor(() => {
    const child = spawnRunner({ ...gpuEnvironment(deniedGpus()), ...cudaEnvironment(dataDir, process.env) });
    child.onExit(onEnded);
    return child;
  }, log);
  const knowledge = await ModelKnowledge.open(join(dataDir, "models.json"), log);
  const plans = new ModelPlans({
    ...{ knowledge, threads, log },
    inspect: (model) => runner.inspect(model),
    memoryBytes: () => memoryForModels({ ...memory(), runnerPid: runner.pid }),
    sequences: process.env["GLEANER_SEQUENCES"] ?? (hasAppleGpu ? "4" : undefined),
  });
  return { runner, plans, knowledge, threads };
}
