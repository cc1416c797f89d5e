import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultPace, defaultSizes, rankOf } from "../../app/models/rollout/stages.ts";
import { api, internal } from "../_generated/api.js";
import type { DeviceModel } from "../model/validators/devices.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  chat,
  claim,
  type Device,
  expectRefusal,
  fail,
  greeting,
  modelId as firstModel,
  type Organization,
  pass,
  price,
  signIn,
  submitWork,
  take,
} from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

const modelId = "qwen3-4b";
const minutes = 60_000;
const sizes = [...defaultSizes];
const pace = { ...defaultPace, minMinutes: 0 };

function entry() {
  return {
    modelId,
    source: "hf:Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf",
    sha256: "cd".repeat(32),
    sizeBytes: 10 * 2 ** 20,
    licence: "Apache-2.0",
    contextTokens: 32_768,
    template: null,
    pieces: null,
  };
}

/** Devices by their place in the roll-out of the model. */
async function addFleet(size: number): Promise<readonly Device[]> {
  const devices: Device[] = [];
  for (let at = 0; at < size; at += 1) devices.push(await addDevice(t, acme, `laptop-${String(at)}`));
  return devices.sort((a, b) => rankOf(modelId, a.deviceId) - rankOf(modelId, b.deviceId));
}

const add = async (over: Partial<typeof pace> = {}) => {
  const rollout = { sizes, pace: { ...pace, ...over } };
  await t.mutation(api.console.models.add, { session, entry: entry(), price, rollout });
  await settle();
};
const settle = async () => {
  await pass(t, 10);
  await pass(t, 10);
};
const act = async (wanted: "advance" | "release" | "pause" | "continue" | "stop" | "roll-back" | "undo") =>
  await t.mutation(api.console.rollouts.change, { session, modelId, act: wanted });
const list = async () => await t.query(api.console.rollouts.list, { session });
const rollout = async () => (await list()).find((each) => each.modelId === modelId);
const tell = async ({ key }: Device, model: Omit<DeviceModel, "modelId"> | null) =>
  await t.mutation(api.devices.reportModels, { key, models: model === null ? [] : [{ modelId, ...model }] });
const isHeld = async ({ key }: Device) => (await t.query(api.devices.me, { key })).heldBack.includes(modelId);
const held = async (devices: readonly Device[]) => await Promise.all(devices.map(isHeld));
const step = async () => {
  await t.mutation(internal.rollouts.stepOpen, {});
  await settle();
};
const trail = async () =>
  (await t.run(async (ctx) => await ctx.db.query("audit").collect())).filter(({ action }) =>
    action.startsWith("model-rollout."),
  );

describe("a model that is added in stages", () => {
  it("is offered to one device first, and named as held back to the others, in the signed list as before", async () => {
    const fleet = await addFleet(6);
    await add();
    expect(await held(fleet)).toEqual([false, true, true, true, true, true]);
    const { models } = await t.query(api.devices.me, { key: fleet[5]!.key });
    expect(models.map((model) => model.modelId)).toEqual([firstModel, modelId]);
    const found = await rollout();
    expect(found?.state).toBe("running");
    expect(found?.stages.map(({ devices }) => devices)).toEqual([1, 1, 3, 6]);
  });

  it("is held back from all devices until its stages are planned", async () => {
    const fleet = await addFleet(2);
    await t.mutation(api.console.models.add, { session, entry: entry(), price, rollout: { sizes, pace } });
    expect((await rollout())?.state).toBe("planning");
    expect(await held(fleet)).toEqual([true, true]);
  });

  it("goes to all devices at once without stages", async () => {
    const fleet = await addFleet(2);
    await t.mutation(api.console.models.add, { session, entry: entry(), price });
    await settle();
    expect(await held(fleet)).toEqual([false, false]);
    expect(await list()).toEqual([]);
  });

  it("advances by itself when enough devices are ready and the time has passed, until all devices may have it", async () => {
    const fleet = await addFleet(6);
    await add({ minMinutes: 5 });
    await tell(fleet[0]!, { state: "downloading", downloadedBytes: 1 });
    await step();
    expect((await rollout())?.byStage[0]).toEqual({ downloading: 1, ready: 0, failed: 0 });
    await tell(fleet[0]!, { state: "ready" });
    await step();
    expect(await rollout()).toMatchObject({ stage: 0, byStage: [{ ready: 1, downloading: 0 }, {}, {}, {}] });
    for (const stage of [1, 2, 3]) {
      await pass(t, 5 * minutes);
      await step();
      expect((await rollout())?.stage).toBe(stage);
      for (const [at, device] of fleet.entries()) {
        if (!(await isHeld(device))) await tell(device, { state: "ready" });
        expect(await isHeld(device)).toBe(at >= [1, 1, 3, 6][stage]!);
      }
      await step();
    }
    await pass(t, 5 * minutes);
    await step();
    expect(await list()).toEqual([]);
    expect(await held(fleet)).toEqual(fleet.map(() => false));
    expect((await trail()).map(({ action, actor, detail }) => [action, actor, detail])).toEqual([
      ["model-rollout.started", "member", "all devices at once → in stages: 1, 10%, 50%, 100%"],
      ["model-rollout.advanced", "system", "running, stage 1 of 4 (1 device) → running, stage 2 of 4 (10%)"],
      ["model-rollout.advanced", "system", "running, stage 2 of 4 (10%) → running, stage 3 of 4 (50%)"],
      [
        "model-rollout.advanced",
        "system",
        "running, stage 3 of 4 (50%) → running, stage 4 of 4 (all devices)",
      ],
      [
        "model-rollout.finished",
        "system",
        "running, stage 4 of 4 (all devices) → done, stage 4 of 4 (all devices)",
      ],
    ]);
    await pass(t, 10);
    expect(await t.run(async (ctx) => await ctx.db.query("modelRolloutDevices").collect())).toEqual([]);
  });

  it("waits for an administrator if each stage is started by hand", async () => {
    const fleet = await addFleet(4);
    await add({ byHand: true });
    await tell(fleet[0]!, { state: "ready" });
    await step();
    expect((await rollout())?.stage).toBe(0);
    await act("advance");
    expect((await rollout())?.stage).toBe(1);
  });

  it("works for requests as soon as one device has it, and devices that are held back get no such job", async () => {
    const [first, other] = await addFleet(2);
    await add();
    const offered = [firstModel, modelId];
    for (const { key } of [first!, other!]) {
      await t.mutation(api.work.hello, { key, ...greeting(offered) });
      expect(await take(t, { key })).toEqual([]);
    }
    await pass(t, 10);
    const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request: chat() }, { model: modelId });
    await expect(claim(t, other!, jobId)).rejects.toThrow(/not claimed/);
    expect(await claim(t, first!, jobId)).not.toBe("");
  });
});

describe("a roll-out stops by itself", () => {
  it.each([
    ["a download that failed", { state: "waiting", why: "source-refused" }, "source-refused"],
    ["a wrong hash", { state: "waiting", why: "wrong-content" }, "wrong-content"],
    ["a damaged file", { state: "corrupt" }, "corrupt"],
    ["a full disk", { state: "waiting", why: "disk-full" }, "disk-full"],
  ] as const)("after %s", async (_, model, why) => {
    const fleet = await addFleet(3);
    await add();
    await tell(fleet[0]!, model);
    await step();
    const found = await rollout();
    expect(found).toMatchObject({ state: "stopped", stage: 0, why: "1 of 1 devices failed" });
    expect(found?.reasons).toEqual([{ why, devices: 1 }]);
    const paginationOpts = { numItems: 10, cursor: null };
    const { page } = await t.query(api.console.rollouts.failures, { session, modelId, paginationOpts });
    expect(page).toMatchObject([{ deviceId: fleet[0]!.deviceId, why }]);
    expect((await trail()).at(-1)).toMatchObject({
      action: "model-rollout.stopped",
      actor: "system",
      detail: "running, stage 1 of 4 (1 device) → stopped, stage 1 of 4 (1 device): 1 of 1 devices failed",
    });
  });

  it("and lists the devices that failed while they try again, or forget the model", async () => {
    const fleet = await addFleet(3);
    await add();
    await tell(fleet[0]!, { state: "waiting", why: "wrong-content" });
    await step();
    expect((await rollout())?.state).toBe("stopped");
    const listed = async () => {
      await step();
      const paginationOpts = { numItems: 10, cursor: null };
      const { page } = await t.query(api.console.rollouts.failures, { session, modelId, paginationOpts });
      return page.map(({ why }) => why);
    };
    await tell(fleet[0]!, { state: "downloading", downloadedBytes: 1 });
    expect(await listed()).toEqual(["wrong-content"]);
    await tell(fleet[0]!, null);
    expect(await listed()).toEqual(["wrong-content"]);
    await tell(fleet[0]!, { state: "waiting", why: "disk-full" });
    expect(await listed()).toEqual(["disk-full"]);
    await tell(fleet[0]!, { state: "ready" });
    expect(await listed()).toEqual([]);
  });

  it("after jobs that failed on the devices of a stage", async () => {
    const [device] = await addFleet(1);
    await add({ minMinutes: 60 });
    await tell(device!, { state: "ready" });
    await t.mutation(api.work.hello, { key: device!.key, ...greeting([firstModel, modelId]) });
    for (const ended of [1, 2, 3]) {
      const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request: chat() }, { model: modelId });
      await fail(t, device!, await claim(t, device!, jobId));
      await step();
      expect((await rollout())?.state).toBe(ended < 3 ? "running" : "stopped");
    }
    expect((await rollout())?.reasons).toEqual([{ why: "jobs", devices: 1 }]);
  });

  it("but not for a few failures, nor for a device that only waits", async () => {
    const fleet = await addFleet(10);
    await add();
    await act("release");
    await tell(fleet[0]!, { state: "corrupt" });
    await tell(fleet[1]!, { state: "waiting", why: "on-battery" });
    await step();
    expect((await rollout())?.state).toBe("running");
    await tell(fleet[2]!, { state: "corrupt" });
    await tell(fleet[3]!, { state: "corrupt" });
    await step();
    expect((await rollout())?.state).toBe("stopped");
  });

  it("and does not stop again for the same failures after an administrator continues it, but for new ones", async () => {
    const fleet = await addFleet(3);
    await add();
    await tell(fleet[0]!, { state: "corrupt" });
    await step();
    await act("continue");
    await step();
    expect((await rollout())?.state).toBe("running");
    await tell(fleet[0]!, { state: "downloading", downloadedBytes: 1 });
    await step();
    await tell(fleet[0]!, { state: "corrupt" });
    await step();
    expect((await rollout())?.state).toBe("stopped");
  });
});

describe("an administrator", () => {
  it("pauses a roll-out: its devices go on, and no stage begins", async () => {
    const fleet = await addFleet(4);
    await add();
    await act("pause");
    await tell(fleet[0]!, { state: "ready" });
    await step();
    expect(await rollout()).toMatchObject({ state: "paused", stage: 0 });
    expect((await rollout())?.byStage[0]?.ready).toBe(1);
    await act("continue");
    await step();
    expect((await rollout())?.stage).toBe(1);
  });

  it("stops it: devices that have begun keep the model, and no other begins", async () => {
    const fleet = await addFleet(4);
    await add();
    await act("release");
    await tell(fleet[3]!, { state: "downloading", downloadedBytes: 5 });
    await act("stop");
    expect(await held(fleet)).toEqual([true, true, true, false]);
    await tell(fleet[3]!, { state: "ready" });
    expect(await held(fleet)).toEqual([true, true, true, false]);
  });

  it("rolls it back: no device keeps the new model, and continuing gives it back", async () => {
    const fleet = await addFleet(3);
    await add();
    await tell(fleet[0]!, { state: "ready" });
    await act("roll-back");
    expect(await held(fleet)).toEqual([true, true, true]);
    await act("continue");
    expect(await held(fleet)).toEqual([false, true, true]);
  });

  it("undoes the last act, once, and not after the roll-out went on by itself", async () => {
    const fleet = await addFleet(4);
    await add();
    await act("release");
    expect(await held(fleet)).toEqual([false, false, false, false]);
    await tell(fleet[2]!, { state: "downloading", downloadedBytes: 1 });
    await act("undo");
    expect(await held(fleet)).toEqual([false, true, false, true]);
    expect((await trail()).at(-1)).toMatchObject({
      action: "model-rollout.undone",
      actor: "member",
      detail: "running, stage 4 of 4 (all devices) → running, stage 1 of 4 (1 device)",
    });
    await expectRefusal(act("undo"), "conflict");
    await act("pause");
    await act("continue");
    await tell(fleet[0]!, { state: "ready" });
    await step();
    expect((await rollout())?.stage).toBe(1);
    await expectRefusal(act("undo"), "conflict");
  });

  it("may not advance past the end, or change a model without a roll-out", async () => {
    await addFleet(2);
    await expectRefusal(act("advance"), "not_found");
    await add();
    await act("release");
    await expectRefusal(act("advance"), "conflict");
    await expectRefusal(act("continue"), "conflict");
  });

  it("ends it in its last stage, even if a device is missing", async () => {
    const fleet = await addFleet(3);
    await add();
    await act("release");
    await act("release");
    expect(await list()).toEqual([]);
    expect(await held(fleet)).toEqual([false, false, false]);
    await settle();
    expect(await t.run(async (ctx) => await ctx.db.query("modelRolloutDevices").collect())).toEqual([]);
  });

  it("starts another one in place of one that was rolled back, and the model stays new", async () => {
    const fleet = await addFleet(3);
    await add();
    await tell(fleet[0]!, { state: "ready" });
    await act("roll-back");
    await t.mutation(api.console.rollouts.start, { session, modelId, sizes, pace });
    expect(await held(fleet)).toEqual([true, true, true]);
    await settle();
    expect(await rollout()).toMatchObject({ state: "running", stage: 0, isNew: true });
    expect(await held(fleet)).toEqual([false, true, true]);
  });

  it("retires the model: its roll-out rests, and goes on once the model is reinstated", async () => {
    const fleet = await addFleet(3);
    await add();
    await act("stop");
    await t.mutation(api.console.models.retire, { session, modelId });
    expect(await list()).toEqual([]);
    await t.mutation(api.console.models.reinstate, { session, modelId });
    expect(await rollout()).toMatchObject({ state: "stopped" });
    expect(await held(fleet)).toEqual([true, true, true]);
  });

  it("gets a clear answer to stages out of bounds, and nothing is added", async () => {
    const wrong = { sizes: sizes.slice(0, 2), pace };
    const args = { session, entry: entry(), price, rollout: wrong };
    await expect(t.mutation(api.console.models.add, args)).rejects.toThrow(/last stage has to be 100%/);
    expect((await t.query(api.console.models.list, { session })).map((each) => each.modelId)).toEqual([
      firstModel,
    ]);
  });
});

describe("a model that is there already", () => {
  const start = async () => {
    await t.mutation(api.console.rollouts.start, { session, modelId, sizes, pace });
  };

  it("stays on the devices that have it, even after a roll-back", async () => {
    const fleet = await addFleet(4);
    await t.mutation(api.console.models.add, { session, entry: entry(), price });
    await tell(fleet[3]!, { state: "ready" });
    await start();
    expect(await held(fleet)).toEqual([false, false, false, false]);
    await settle();
    expect(await held(fleet)).toEqual([false, true, true, false]);
    await tell(fleet[0]!, { state: "ready" });
    await act("roll-back");
    expect(await held(fleet)).toEqual([true, true, true, false]);
  });

  it("is rolled out once at a time, and not while it is retired", async () => {
    await addFleet(1);
    await t.mutation(api.console.models.add, { session, entry: entry(), price });
    await start();
    await expectRefusal(start(), "conflict");
    await settle();
    await t.mutation(api.console.models.retire, { session, modelId: firstModel });
    const retired = { session, modelId: firstModel, sizes, pace };
    await expectRefusal(t.mutation(api.console.rollouts.start, retired), "conflict");
  });
});

it("goes on by its plan where devices come and go", async () => {
  const fleet = await addFleet(2);
  await add({ minMinutes: 60 });
  await act("release");
  const late = await addDevice(t, acme, "late");
  expect(await isHeld(late)).toBe(false);
  await tell(late, { state: "ready" });
  await tell(fleet[0]!, { state: "ready" });
  await step();
  const ready = async () => (await rollout())?.byStage.reduce((sum, counts) => sum + counts.ready, 0);
  expect(await ready()).toBe(2);
  await t.mutation(api.console.devices.retire, { session, deviceId: late.deviceId });
  await step();
  expect(await ready()).toBe(1);
});

it("gives the first device that joins an empty organization its model", async () => {
  await add();
  const [device] = await addFleet(1);
  await step();
  await pass(t, 2 * minutes);
  await step();
  await settle();
  expect((await rollout())?.stages[0]).toMatchObject({ devices: 1, expected: 1 });
  expect(await isHeld(device!)).toBe(false);
});

it("plans again if the first plan was cut off", async () => {
  await addFleet(1);
  await t.mutation(api.console.models.add, { session, entry: entry(), price, rollout: { sizes, pace } });
  await t.run(async (ctx) => {
    for (const { _id } of await ctx.db.system.query("_scheduled_functions").collect()) {
      await ctx.scheduler.cancel(_id);
    }
  });
  await pass(t, 2 * minutes);
  await step();
  await settle();
  expect((await rollout())?.state).toBe("running");
});

it("shows no roll-out of another organization", async () => {
  const other = await addOrganization(t, { name: "Other" });
  await addFleet(1);
  await add();
  const stranger = await signIn(t, other);
  expect(await t.query(api.console.rollouts.list, { session: stranger })).toEqual([]);
  const theirs = { session: stranger, modelId, act: "stop" } as const;
  await expectRefusal(t.mutation(api.console.rollouts.change, theirs), "not_found");
});

it("writes only for a device whose model changed, and never the row that all devices watch", async () => {
  const fleet = await addFleet(3);
  await add();
  const rows = async () =>
    await t.run(async (ctx) => ({
      rollouts: await ctx.db.query("modelRollouts").collect(),
      devices: await ctx.db.query("modelRolloutDevices").collect(),
    }));
  const before = await rows();
  await tell(fleet[0]!, { state: "downloading", downloadedBytes: 1 });
  await step();
  const begun = await rows();
  expect(begun.rollouts).toEqual(before.rollouts);
  expect(begun.devices).toHaveLength(1);
  await pass(t, minutes);
  await tell(fleet[0]!, { state: "downloading", downloadedBytes: 900 });
  expect((await rows()).devices).toEqual(begun.devices);
});
