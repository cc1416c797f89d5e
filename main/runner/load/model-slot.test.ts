import { beforeAll, describe, expect, it } from "vitest";
import type { ModelFile, ModelLoad } from "../../../app/contract/runner.ts";
import { demoModel, planOf } from "../runner.fixture.ts";
import { Libraries } from "./libraries.ts";
import { ModelSlot } from "./model-slot.ts";

let model: ModelFile;
const never = new AbortController().signal;

beforeAll(async () => {
  model = await demoModel();
});

describe("ModelSlot", () => {
  it("goes on with a load whose job was canceled, and gives it to the next job", async () => {
    const loads: (ModelLoad | null)[] = [];
    const canceled = new AbortController();
    const slot = new ModelSlot(new Libraries(), (load) => {
      loads.push(load);
      if (load?.backend === "cpu") canceled.abort();
    });
    expect(await slot.load(model, planOf(model), canceled.signal)).toEqual({ kind: "aborted" });
    expect(loads.at(-1)).toEqual({ sha256: model.sha256, backend: "cpu" });
    expect(await slot.load(model, planOf(model), never)).toMatchObject({ kind: "loaded" });
    expect(loads.filter((load) => load?.backend === "cpu")).toHaveLength(1);
    expect(loads.at(-1)).toBeNull();
    await slot.unload();
  });

  it("ends such a load when a job needs another one", async () => {
    const loads: (ModelLoad | null)[] = [];
    const canceled = new AbortController();
    const slot = new ModelSlot(new Libraries(), (load) => {
      loads.push(load);
      if (load?.backend === "cpu") canceled.abort();
    });
    await slot.load(model, planOf(model), canceled.signal);
    const other = await slot.load(model, planOf(model, { contextTokens: 512 }), never);
    expect(other).toMatchObject({ kind: "loaded", loaded: { contextTokens: 512 } });
    expect(loads.filter((load) => load === null)).toHaveLength(2);
    await slot.unload();
  });

  it("does not load a model into RAM that fits only into a GPU's memory", async () => {
    const slot = new ModelSlot(new Libraries());
    const gpuLayers = { least: 3, most: 5 };
    expect(await slot.load(model, planOf(model, { backends: ["vulkan"], gpuLayers }), never)).toMatchObject({
      kind: "failed",
      error: { code: "out_of_memory" },
    });
    // With the CPU in the plan, the range holds only for a GPU.
    const backends = ["vulkan", "cpu"] as const;
    expect(await slot.load(model, planOf(model, { backends, gpuLayers }), never)).toMatchObject({
      kind: "loaded",
      loaded: { report: { backend: "cpu", gpuLayers: 0, passedOver: [{ backend: "vulkan" }] } },
    });
    await slot.unload();
  });

  it("does not begin a load whose job was canceled while all work paused", async () => {
    const loads: (ModelLoad | null)[] = [];
    const canceled = new AbortController();
    const slot = new ModelSlot(new Libraries(), (load) => loads.push(load));
    const paused = (signal: AbortSignal) => () =>
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    const load = slot.load(model, planOf(model), canceled.signal, paused);
    canceled.abort();
    expect(await load).toEqual({ kind: "aborted" });
    expect(loads.filter((each) => each !== null)).toEqual([]);
  });
});
