import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Confinement } from "../../app/contract/confinement.ts";
import type { LoadReport, ModelFile } from "../../app/contract/runner.ts";
import type { Backend, MeasuredSpeed } from "../../app/contract/speed.ts";
import { unknown } from "../../app/facts/facts.ts";
import type { Work } from "../../app/jobs/work.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { FreeVram, sightOf } from "../donor/work/free-vram.ts";
import { type Log, silentLog } from "../log.ts";
import { runnerEntry } from "../runner/runner.fixture.ts";
import { unknownIdle } from "../sensors/base/idle.ts";
import { ownGpuUse } from "../sensors/base/own-use.ts";
import { neededBy } from "../sensors/base/sensor.ts";
import { gatherFacts } from "../sensors/facts-source.ts";
import { gpuSensor } from "../sensors/gpu/gpu-sensor.ts";
import { nvidiaMeter } from "../sensors/gpu/nvidia.ts";
import { systemProgram } from "../system-programs.ts";
import type { AttemptOutcome } from "./attempt.ts";
import { openRunner } from "./open-runner.ts";
import { fitModel } from "./plan/model-fit.ts";
import { forkRunner } from "./process/fork-runner.ts";

/** Whether this computer has a card of NVIDIA and its program. */
export const hasCard =
  process.platform === "linux" && existsSync("/dev/nvidiactl") && existsSync(systemProgram("nvidia-smi"));

type Ran = {
  readonly outcome: AttemptOutcome;
  readonly load: LoadReport | undefined;
  readonly speeds: readonly MeasuredSpeed[];
};

/** A donor's runner, its plans, and the sensors that tell it about the card. */
export async function openOnCard(models: readonly ModelFile[], log: Log = silentLog) {
  const dataDir = await mkdtemp(join(tmpdir(), "gleaner-card-"));
  // Somebody's desktop may use the card meanwhile.
  const rules = { ...defaultRules, maxOtherGpuLoad: 1 };
  const meter = nvidiaMeter(ownGpuUse(() => runner.pid));
  const sensors = gatherFacts({ idle: unknownIdle, others: [gpuSensor([meter])] });
  const vram: FreeVram = new FreeVram({
    look: async () => sightOf(await sensors.lookAtGpu(), rules, runner.pid !== undefined),
    isAllowed: () => true,
    isWanted: () => true,
    onChange: () => plans.gpuChanged(models),
  });
  let confinement: Confinement = [];
  const { runner, plans, knowledge } = await openRunner({
    dataDir,
    spawnRunner: forkRunner(runnerEntry),
    log,
    models: models.map(({ path }) => path),
    deniedGpus: () => [],
    memory: () => ({ found: unknown, leaveMb: 0 }),
    gpu: { vramMb: () => vram.mb, look: () => vram.look() },
    onEnded: () => undefined,
    onRested: () => undefined,
    onConfined: (found) => (confinement = found),
  });
  await sensors.start(neededBy(rules, false), () => undefined);
  plans.setLimits({ gpu: true, memoryMb: null }, []);
  await vram.look();
  await plans.learn(models);
  let attempts = 0;
  return {
    runner,
    plans,
    vram,
    meter,
    get confinement() {
      return confinement;
    },
    /** Runs a job by the donor's own plan, but with these backends. */
    run: async (model: ModelFile, work: Work, backends: readonly Backend[]): Promise<Ran> => {
      const attemptId = `card-${++attempts}`;
      const loads: LoadReport[] = [];
      const speeds: MeasuredSpeed[] = [];
      const outcome = await runner.run(
        { attemptId, model, work, plan: { ...plans.planFor(model), backends } },
        {
          loaded: (report) => loads.push(report),
          measured: (speed) => speeds.push(speed),
          text: () => undefined,
        },
      );
      return { outcome, load: loads[0], speeds };
    },
    /** The card's memory that a load by the plan takes at most. */
    plannedMb: (model: ModelFile): number => {
      const figures = knowledge.figures(model.sha256);
      if (figures === null) throw new Error("the model was not inspected");
      const memory = { ramBytes: Infinity, vramBytes: Infinity };
      const fit = fitModel(figures, plans.planFor(model), memory);
      return fit.kind === "fits" ? fit.vramBytes / 2 ** 20 : 0;
    },
    close: async () => {
      vram.stop();
      sensors.stop();
      await runner.stop();
      await knowledge.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** The card's memory that this process holds, in MiB. */
export function usedMb(pid: number | undefined): number {
  const query = ["--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"];
  const lines = execFileSync(systemProgram("nvidia-smi"), query, { encoding: "utf8" }).split("\n");
  return Number(lines.find((line) => line.startsWith(`${pid}, `))?.split(", ")[1]);
}
