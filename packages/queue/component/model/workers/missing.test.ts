import { beforeEach, describe, expect, it } from "vitest";
import type { Requirements } from "../../../shared/validators.ts";
import { type Backend, queue, refused, scope, startQueue, submitJobs } from "../../testing/queue.fixture.ts";
import { addWorker } from "../../testing/workers.fixture.ts";

let t: Backend;
beforeEach(() => {
  t = startQueue();
});

const missing = async (requirements: Requirements, gpuTags: string[] = []) =>
  await t.query(queue.workers.missing, { scope, requirements, gpuTags });

describe("workers.missing", () => {
  it("tells the requirement that no worker could meet", async () => {
    await addWorker(t, { gpu: false, memoryMb: 8_000, tags: ["eu"] }, { labels: ["owned"], groups: ["lab"] });
    expect(await missing({ labels: ["owned"], groups: ["lab", "other"], memoryMb: 8_000 })).toBeNull();
    expect(await missing({ labels: ["owned", "eu"] })).toEqual({ of: "labels", name: "eu" });
    expect(await missing({ groups: ["other"] })).toEqual({ of: "groups" });
    expect(await missing({ dataClass: "medical" })).toEqual({ of: "dataClass", name: "medical" });
    expect(await missing({ memoryMb: 8_001 })).toEqual({ of: "memoryMb" });
    expect(await missing({ gpu: true })).toEqual({ of: "gpu" });
    expect(await missing({ vramMb: 1 })).toEqual({ of: "gpu" });
  });

  it("tells nothing about a GPU's memory that may be free later", async () => {
    await addWorker(t, { gpu: true, vramMb: 1_024 }, {});
    expect(await missing({ vramMb: 8_192 })).toBeNull();
  });

  it("tells that no worker meets all of them together", async () => {
    await addWorker(t, {}, { labels: ["a"] });
    await addWorker(t, {}, { labels: ["b"] });
    expect(await missing({ labels: ["a", "b"] })).toEqual({ of: "together" });
    await addWorker(t, {}, { labels: ["a", "b"] });
    expect(await missing({ labels: ["a", "b"] })).toBeNull();
  });

  it("counts workers that are offline or paused, and none that is retired or of another scope", async () => {
    await addWorker(t, {}, { scope: "other", labels: ["owned"] });
    expect(await missing({ labels: ["owned"] })).toEqual({ of: "labels", name: "owned" });
    const { keyHash, workerId } = await addWorker(t, {}, { labels: ["owned"] });
    await t.mutation(queue.work.goodbye, { keyHash });
    expect(await missing({ labels: ["owned"] })).toBeNull();
    await t.mutation(queue.workers.update, { scope, workerId, status: "paused" });
    expect(await missing({ labels: ["owned"] })).toBeNull();
    await t.mutation(queue.workers.update, { scope, workerId, status: "retired" });
    expect(await missing({ labels: ["owned"] })).toEqual({ of: "labels", name: "owned" });
  });

  it("counts a GPU and memory that a worker may have, up to what the app allows", async () => {
    const needs = { gpu: true, memoryMb: 16_000 };
    const registration = { scope, keyHash: "new", name: "new" };
    const { workerId } = await t.mutation(queue.workers.register, registration);
    // It has reported nothing yet.
    expect(await missing(needs)).toBeNull();
    const allow = async (allowedCapabilities: object) =>
      await t.mutation(queue.workers.update, { scope, workerId, allowedCapabilities });
    await allow({ gpu: false });
    expect(await missing(needs)).toEqual({ of: "gpu" });
    await allow({ memoryMb: 15_999 });
    expect(await missing(needs)).toEqual({ of: "memoryMb" });
    await allow({});
    const capabilities = { kinds: ["hash"], gpu: false, memoryMb: 32_000, tags: ["backend:cuda"] };
    await t.mutation(queue.work.hello, { keyHash: "new", capabilities, startup: true });
    expect(await missing(needs)).toEqual({ of: "gpu" });
    expect(await missing(needs, ["backend:cuda"])).toBeNull();
  });

  it("reads nothing for requirements that workers can come to meet", async () => {
    expect(await missing({ model: "huge", contextTokens: 1e6 })).toBeNull();
  });
});

it("submit keeps lanes free for jobs whose requirements the app chooses", async () => {
  await t.mutation(queue.settings.configure, { scope, values: { maxLanes: 4 } });
  const job = (model: string) => ({ kind: "hash", payload: null, requirements: { model } });
  const spare = async (model: string) =>
    await t.mutation(queue.jobs.submit, { scope, jobs: [job(model)], spareLanes: 2 });
  await spare("a");
  await spare("b");
  expect(await refused(spare("c"))).toBe("too_many_lanes");
  expect(await spare("a")).toMatchObject({ kind: "submitted" });
  expect(await submitJobs(t, [job("c"), job("d")])).toHaveLength(2);
});
