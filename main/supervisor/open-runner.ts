import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Confinement, confinementGaps, sayConfinement } from "../../app/contract/confinement.ts";
import { confinementVariable } from "../../app/contract/runner-start.ts";
import type { Log } from "../log.ts";
import { dataNames } from "../store/data-names.ts";
import { systemProgram } from "../system-programs.ts";
import { ModelKnowledge } from "./plan/model-knowledge.ts";
import { memoryForModels, type MemoryNow } from "./plan/model-memory.ts";
import { ModelPlans } from "./plan/model-plans.ts";
import { runnerThreads } from "./plan/parallelism.ts";
import type { RunnerChild, SpawnRunner } from "./process/runner-child.ts";
import { cudaEnvironment, gpuEnvironment } from "./process/runner-environment.ts";
import { RunnerSupervisor } from "./supervisor.ts";

/** Its GPU computes, so several jobs at once pay off even with few threads. */
const hasAppleGpu = process.platform === "darwin" && process.arch === "arm64";

type RunnerOptions = {
  /** The donor's folder. It holds the knowledge about models, and may hold CUDA. */
  readonly dataDir: string;
  readonly spawnRunner: SpawnRunner;
  /** The files and folders with all models, which the runner may read. */
  readonly models: readonly string[];
  /** GPUs, by the system's number, to hide from a process that starts now. */
  readonly deniedGpus: () => readonly number[];
  /** The memory that the computer and the rules leave for models. */
  readonly memory: () => Omit<MemoryNow, "runnerPid">;
  /** Free memory of the GPU, and a new look at it. */
  readonly gpu: { readonly vramMb: () => number | null; readonly look: () => Promise<void> };
  /** A process has exited and its memory is free. */
  readonly onEnded: () => void;
  /** A process without work has ended, so the next job has to load its model. */
  readonly onRested: () => void;
  /** A process has started, and tells how far it is confined. */
  readonly onConfined: (confinement: Confinement) => void;
  readonly log: Log;
};

/** A donor's runner, and its knowledge about the models. */
type OpenRunner = {
  readonly runner: RunnerSupervisor;
  readonly plans: ModelPlans;
  readonly knowledge: ModelKnowledge;
  /** The most threads that the runner may use on this machine. */
  readonly threads: number;
};

/** Prepares a runner. Its process starts with the first work. */
export async function openRunner(options: RunnerOptions): Promise<OpenRunner> {
  const { dataDir, spawnRunner, models, deniedGpus, memory, gpu, onEnded, onRested, onConfined, log } =
    options;
  const off = process.env["GLEANER_CONFINE"] === "off";
  if (off) log("warn", "runner.confinement-off", { by: "GLEANER_CONFINE" });
  const confinement = confinementVariable({
    read: models,
    cache: join(dataDir, dataNames.gpuCache),
    bubblewrap: installedBubblewrap(),
    off,
  });
  const threads = await runnerThreads();
  const logConfinement = confinementLog(log);
  const spawn = (): RunnerChild => {
    const child = spawnRunner({
      ...gpuEnvironment(deniedGpus()),
      ...cudaEnvironment(dataDir, process.env),
      ...confinement,
    });
    child.onExit(onEnded);
    return child;
  };
  const runner = new RunnerSupervisor(spawn, log, {
    onConfined: (confinement) => {
      logConfinement(confinement);
      onConfined(confinement);
    },
    onBackend: (sha256, backend, how) => plans.usedBackend(sha256, backend, how),
    onRested,
  });
  const knowledge = await ModelKnowledge.open(join(dataDir, dataNames.knowledge), log);
  const plans = new ModelPlans({
    knowledge,
    threads,
    log,
    inspect: (model) => runner.inspect(model),
    memoryBytes: () => memoryForModels({ ...memory(), runnerPid: runner.pid }),
    vramMb: gpu.vramMb,
    lookAtGpu: gpu.look,
    sequences: process.env["GLEANER_SEQUENCES"] ?? (hasAppleGpu ? "4" : undefined),
  });
  return { runner, plans, knowledge, threads };
}

/** Logs how far a process is confined: once, and again when that changes. */
function confinementLog(log: Log): (confinement: Confinement) => void {
  let logged: string | null = null;
  return (confinement) => {
    const parts = sayConfinement(confinement);
    if (parts === logged) return;
    logged = parts;
    log("info", "runner.confined", { parts, missing: confinementGaps(confinement).join("; ") });
  };
}

function installedBubblewrap(): string | null {
  if (process.platform !== "linux") return null;
  const path = systemProgram("bwrap");
  return existsSync(path) ? path : null;
}
