import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FunctionArgs } from "convex/server";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import type { ModelFile } from "../../app/contract/runner.ts";
import { api } from "../../convex/_generated/api.js";
import {
  addDevice,
  type Device,
  modelId,
  submit,
  take,
  tryClaim,
} from "../../convex/testing/backend.fixture.ts";
import { closeWorld, openWorld } from "../../convex/testing/world.fixture.ts";
import { ModelOffer } from "../../main/donor/work/model-offer.ts";
import { silentLog } from "../../main/log.ts";
import { largeModel, mb } from "../../main/supervisor/plan/figures.fixture.ts";
import { ModelKnowledge } from "../../main/supervisor/plan/model-knowledge.ts";
import { ModelPlans } from "../../main/supervisor/plan/model-plans.ts";

// The devices' real plans decide what they offer here, and the real queue who gets the job.

let { t, acme }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;

beforeEach(async () => {
  ({ t, acme } = await openWorld());
});
afterEach(closeWorld);

const file: ModelFile = {
  modelId,
  path: "/large",
  sha256: "a".repeat(64),
  sizeBytes: 4_900_000_000,
  contextTokens: 4_096,
};

/** Both devices have the file of 4.9 GB, and 2 GB of RAM free. */
async function planner(gpu: { freeMb: number | null }): Promise<{ offer: ModelOffer; plans: ModelPlans }> {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-gpu-models-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const knowledge = await ModelKnowledge.open(join(folder, "models.json"), silentLog);
  onTestFinished(() => knowledge.close());
  const plans = new ModelPlans({
    knowledge,
    inspect: () => Promise.resolve(largeModel),
    memoryBytes: () => 1_740 * mb,
    vramMb: () => gpu.freeMb,
    threads: 2,
    platform: "linux",
    arch: "x64",
    log: silentLog,
  });
  plans.setLimits({ gpu: true, memoryMb: null }, []);
  await plans.learn([file]);
  const offer = new ModelOffer({
    plans,
    usable: () => [file],
    isAccepting: () => true,
    setupMs: () => null,
    onChange: () => undefined,
  });
  return { offer, plans };
}

type Capabilities = FunctionArgs<typeof api.work.hello>["capabilities"];

async function hello({ key }: Device, offer: ModelOffer): Promise<void> {
  const capabilities = { kinds: ["chat"], ...offer.abilities(true), ...offer.capacity() } as Capabilities;
  await t.mutation(api.work.hello, { key, version: "0.1.0", capabilities, startup: false });
}

it("a job for a model that fits only into a GPU's memory goes to the device with the GPU", async () => {
  const without = await addDevice(t, acme, "without GPU");
  const withGpu = await addDevice(t, acme, "with GPU");
  await hello(without, (await planner({ freeMb: null })).offer);
  await hello(withGpu, (await planner({ freeMb: 7_680 })).offer);
  const jobId = await submit(t, acme);
  expect(await take(t, without)).toEqual([]);
  expect(await tryClaim(t, without, jobId)).toEqual({ kind: "unable" });
  expect(await take(t, withGpu)).toMatchObject([{ jobId }]);
});

it("it waits while other programs use that GPU", async () => {
  const device = await addDevice(t, acme);
  const gpu: { freeMb: number | null } = { freeMb: 7_680 };
  const { offer, plans } = await planner(gpu);
  gpu.freeMb = null;
  plans.setLimits({ gpu: true, memoryMb: null }, [file]);
  await hello(device, offer);
  const jobId = await submit(t, acme);
  expect(await take(t, device)).toEqual([]);
  gpu.freeMb = 7_680;
  plans.setLimits({ gpu: true, memoryMb: null }, [file]);
  await hello(device, offer);
  expect(await take(t, device)).toMatchObject([{ jobId }]);
});
