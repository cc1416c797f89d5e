import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ModelFile } from "../../app/contract/runner.ts";
import { type Backend, perSecond } from "../../app/contract/speed.ts";
import { EnergyAccount, type PowerSample } from "../../app/energy/energy-account.ts";
import type { ChatResult } from "../../app/jobs/chat.ts";
import type { Work } from "../../app/jobs/work.ts";
import { chat, demoModel, endless } from "../runner/runner.fixture.ts";
import { nvidiaMeter } from "../sensors/gpu/nvidia.ts";
import type { AttemptOutcome } from "./attempt.ts";
import { hasCard, openOnCard, usedMb } from "./graphics-card.fixture.ts";

const skipped = hasCard ? "" : " (skipped: needs Linux, a graphics card of NVIDIA, and nvidia-smi)";

let model: ModelFile;
beforeAll(async () => {
  model = await demoModel();
});

async function open() {
  const card = await openOnCard([model]);
  onTestFinished(() => card.close());
  return card;
}

/** Runs jobs on the card, four at a time, one after the other. @returns ends them. */
function keepBusy(card: Awaited<ReturnType<typeof open>>): () => Promise<void> {
  let isEnded = false;
  const work: Work = { kind: "chat", request: endless("Write.") };
  const running = Array.from({ length: 4 }, async () => {
    while (!isEnded) await card.run(model, work, ["cuda", "vulkan"]);
  });
  return async () => {
    isEnded = true;
    await Promise.all(running);
  };
}

const questions = ["What is 2 + 2?", "What is the capital of Norway?", "Repeat: blue", "What is 9 - 4?"];
const ask = (question: string): Work => ({ kind: "chat", request: chat(question) });

function resultOf(outcome: AttemptOutcome): ChatResult {
  if (outcome.kind !== "done" || !("text" in outcome.result)) throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

const textOf = (outcome: AttemptOutcome): string => resultOf(outcome).text;

/** Runs with the driver and the libraries of this computer. GLEANER_CUDA names the folder with CUDA's library. */
describe.runIf(hasCard)(`a runner with a graphics card${skipped}`, { timeout: 300_000 }, () => {
  it("knows the card's free memory, and plans the whole model for it", async () => {
    const { vram, plans } = await open();
    expect(vram.mb).toBeGreaterThan(0);
    expect(plans.vramMb).toBe(vram.mb);
    const { gpuLayers, backends } = plans.planFor(model);
    expect(backends).toEqual(["cuda", "vulkan", "cpu"]);
    expect(gpuLayers).toMatchObject({ least: 0, most: 5 });
  });

  it.for<Backend>(["cuda", "vulkan"])(
    "answers by %s as by the processor, confined, within the planned memory",
    async (backend, { skip }) => {
      const card = await open();
      const onCpu: string[] = [];
      for (const question of questions)
        onCpu.push(textOf((await card.run(model, ask(question), ["cpu"])).outcome));

      const { load, speeds } = await card.run(model, ask("What is 1 + 1?"), [backend, "cpu"]);
      const missing = load?.passedOver.find(({ why }) => why.includes("is not installed"));
      skip(missing !== undefined, missing?.why);
      expect(load).toMatchObject({ backend, passedOver: [], gpuLayers: 5 });
      expect(card.confinement.map(({ confined }) => confined)).toEqual(["yes", "yes", "yes", "yes"]);

      const one: string[] = [];
      for (const question of questions)
        one.push(textOf((await card.run(model, ask(question), [backend])).outcome));
      expect(one).toEqual(onCpu);
      // Jobs share a batch where the backend keeps them apart.
      const together = await Promise.all(questions.map((each) => card.run(model, ask(each), [backend])));
      expect(together.map(({ outcome }) => textOf(outcome))).toEqual(onCpu);
      // On a large card, CUDA's own part is larger than planned. No plan uses all of the free memory.
      expect(usedMb(card.runner.pid)).toBeLessThan(card.plannedMb(model) + 512);

      // The driver's first use of its programs is no part of the measured speed.
      const long: Work = { kind: "chat", request: { ...endless("Write."), maxTokens: 200 } };
      const { usage, timing } = resultOf((await card.run(model, long, [backend])).outcome);
      expect(speeds[0]?.generate).toBeGreaterThan(perSecond(usage.completionTokens, timing.generateMs) / 5);
    },
  );

  it("tells our own load of the card from others'", async () => {
    const card = await open();
    // The view of another donor, whose runner is not this one.
    const stranger = nvidiaMeter({ isRunning: () => true, processes: () => new Set([process.ppid]) });
    for (const each of [card.meter, stranger]) onTestFinished(each.open?.() ?? (() => undefined));
    const end = keepBusy(card);
    const loadsOf = async (): Promise<readonly number[]> => {
      const [own, theirs] = await Promise.all([card.meter.read(), stranger.read()]);
      return [own, theirs].map((read) => (read[0]?.otherLoad.known === true ? read[0].otherLoad.value : NaN));
    };
    await expect
      .poll(loadsOf, { interval: 1_000, timeout: 60_000 })
      .toSatisfy(([own = NaN, theirs = NaN]: readonly number[]) => theirs > own + 0.1);
    await end();
  });

  it("measures the energy that a job takes of the card, beyond the loaded model's", async ({ skip }) => {
    const card = await open();
    const account = new EnergyAccount();
    const sample = async (): Promise<PowerSample> => {
      const joules = await card.runner.cardJoules();
      const reading = joules === null ? null : { meter: "cards", joules };
      return { at: performance.now(), reading, watts: 75, idleMs: Infinity };
    };
    const energyOf = async (id: string) => {
      account.begin(id, await sample());
      const end = keepBusy(card);
      await sleep(4_000);
      const found = account.end(id, await sample());
      await end();
      return found;
    };
    expect(await energyOf("before rest is known")).toMatchObject({ source: "estimated" });
    skip((await card.runner.cardJoules()) === null, "the driver does not count the card's energy");
    account.advance(await sample());
    await sleep(7_000);
    const measured = await energyOf("after it");
    expect(measured).toMatchObject({ source: "measured" });
    const joules = ((measured?.microWh ?? 0) * 3_600) / 1e6;
    const watts = joules / 4;
    expect(watts).toBeGreaterThan(1);
    expect(watts).toBeLessThan(2_000);
  });
});
