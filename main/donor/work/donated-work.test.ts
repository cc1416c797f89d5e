import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunEvents, RunnerJob, RunOutcome } from "../../../app/contract/runner.ts";
import type { WorkView } from "../../../app/contract/snapshot.ts";
import type { ChatResult } from "../../../app/jobs/chat.ts";
import {
  claimedJob,
  FakeQueue,
  nextWork,
  someSubscription,
} from "../../../packages/queue/worker/fake-queue.fixture.ts";
import { silentLog } from "../../log.ts";
import { ModelCatalog } from "../../models/catalog.ts";
import { largeModel, mb } from "../../supervisor/plan/figures.fixture.ts";
import { ModelKnowledge } from "../../supervisor/plan/model-knowledge.ts";
import { ModelPlans } from "../../supervisor/plan/model-plans.ts";
import type { RunnerLimits } from "../../supervisor/process/supervised-process.ts";
import type { OrganizationModel } from "../organization/organization.ts";
import { DonatedWork } from "./donated-work.ts";

/** A runner whose jobs end when the test says so. An abort ends them, as in the real runner. */
class HandRunner {
  readonly did: string[] = [];
  readonly limits: RunnerLimits[] = [];
  restMs = 0;
  job: RunnerJob | null = null;
  events: RunEvents | null = null;
  finish: (outcome: RunOutcome) => void = () => undefined;

  run(job: RunnerJob, events: RunEvents): Promise<RunOutcome> {
    this.did.push(`run ${job.attemptId}`);
    this.job = job;
    this.events = events;
    return new Promise((resolve) => {
      this.finish = resolve;
    });
  }
  async abort(attemptId: string): Promise<void> {
    this.did.push(`abort ${attemptId}`);
    this.finish({ kind: "aborted" });
  }
  limit(limits: RunnerLimits): void {
    this.limits.push(limits);
  }
  async yield(): Promise<void> {
    this.did.push("yield");
    this.finish({ kind: "aborted" });
  }
  async stop(): Promise<void> {
    this.did.push("stop");
  }
}

const result: ChatResult = {
  text: "yes",
  finishReason: "stop",
  usage: { promptTokens: 3, completionTokens: 1 },
  timing: { prefillMs: 1, generateMs: 1 },
};
const request = {
  messages: [{ role: "user", content: "hi" }],
  maxTokens: 5,
  temperature: 0,
  topP: 1,
  seed: 1,
  stop: [],
};
const chatJob = (attemptId: string, changed: object = {}) =>
  claimedJob(attemptId, { kind: "chat", payload: request, requirements: { model: "m" }, ...changed });

let folder: string;
let queue: FakeQueue;
let runner: HandRunner;
let catalog: ModelCatalog;
let wanted: OrganizationModel[];
let views: (WorkView | null)[];
let inspected: string[];
let plans: ModelPlans;
let knowledge: ModelKnowledge;
let free: number;
let vramMb: number | null;
let sequences: string | undefined;
let work: DonatedWork;

const figures = {
  modelBytes: 7,
  contextBytes: 0,
  tokenBytes: 1,
  embeddingBytes: 0,
  embeddingTokenBytes: 0,
  trainedTokens: 64,
  layers: 1,
};
const limits = {
  threads: 1,
  gpu: false,
  deniedGpus: [],
  memoryMb: null,
  dutyCycle: 1,
  confined: false,
  stillSince: null,
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-work-"));
  const path = join(folder, "m.gguf");
  await writeFile(path, "weights");
  const sha256 = createHash("sha256").update("weights").digest("hex");
  const model = { modelId: "m", sha256, sizeBytes: 7, contextTokens: 64 };
  wanted = [model];
  catalog = new ModelCatalog(silentLog);
  await catalog.add({ ...model, path });
  queue = new FakeQueue();
  runner = new HandRunner();
  views = [];
  free = 2 ** 30;
  vramMb = null;
  sequences = undefined;
  inspected = [];
  knowledge = await ModelKnowledge.open(join(folder, "models.json"), silentLog);
  knowledge.setFigures(sha256, figures);
  plans = new ModelPlans({
    knowledge,
    inspect: (model) => {
      inspected.push(model.modelId);
      if (model.modelId === "flaky" && inspected.length === 1) return Promise.resolve(null);
      const modelBytes = model.modelId === "huge" ? 2 ** 40 : 7;
      return Promise.resolve({ ...figures, modelBytes });
    },
    memoryBytes: () => free,
    vramMb: () => vramMb,
    platform: "linux",
    arch: "x64",
    get sequences() {
      return sequences;
    },
    threads: 1,
    log: silentLog,
  });
  work = new DonatedWork({
    client: queue,
    deviceKey: "k",
    runner,
    catalog,
    plans,
    threads: 1,
    version: "1",
    log: silentLog,
    wanted: () => wanted,
    onWork: (view) => views.push(view),
    onGreeted: () => undefined,
  });
  catalog.onChange(() => work.modelsChanged());
  work.wantedChanged(true);
  queue.connect(1);
});

afterEach(async () => {
  await work.stop(20);
  catalog.stop();
  await rm(folder, { recursive: true });
});

/** The machine may be busy with other tests. */
const patient = { timeout: 60_000, interval: 5 };
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

async function called(name: string) {
  await vi.waitFor(() => expect(queue.unanswered).toContain(name), patient);
  return queue.call(name);
}

async function hold(...jobs: readonly ReturnType<typeof claimedJob>[]): Promise<void> {
  work.accept(limits);
  const take = await called("take");
  queue.showHeld(...jobs.map(({ attemptId }) => attemptId));
  take.answer({ kind: "ok", ...nextWork(jobs) });
}

async function ran(attemptId: string): Promise<void> {
  await vi.waitFor(() => expect(runner.did).toContain(`run ${attemptId}`), patient);
}

function loadedOn(backend: "cpu" | "cuda"): void {
  const report = { modelId: "m", loadMs: 1, gpuLayers: 0, contextTokens: 64, sequences: 1, passedOver: [] };
  runner.events?.loaded({ ...report, backend });
}

describe("donated work", () => {
  it("offers the organization's models that are on this device", async () => {
    await vi.waitFor(() => expect(queue.args["hello"]).toHaveLength(1), patient);
    expect(queue.args["hello"]?.[0]).toMatchObject({
      capabilities: {
        kinds: ["chat", "completion", "embedding", "tokens", "replay"],
        models: ["m"],
        contexts: [{ model: "m", contextTokens: 64 }],
        concurrency: 1,
      },
    });
    wanted = [];
    work.wantedChanged(true);
    await vi.waitFor(() => expect(queue.args["hello"]).toHaveLength(2), patient);
    expect(queue.args["hello"]?.[1]).toMatchObject({ capabilities: { models: [] } });
  });

  it.each([
    ["as many jobs at once as fit into memory", 2 ** 30, { concurrency: 2, prefetch: 1 }],
    ["one job at once if no more fits into memory", 300 * 2 ** 20 + 7 + 32, { concurrency: 1, prefetch: 0 }],
  ])("offers to run %s", async (_what, bytes, capabilities) => {
    sequences = "2";
    wanted = wanted.map((model) => ({ ...model, contextTokens: 32 }));
    free = bytes;
    work.accept(limits);
    await vi.waitFor(() => {
      expect(queue.args["hello"]?.at(-1)).toMatchObject({ capabilities: { models: ["m"], ...capabilities } });
    }, patient);
  });

  it("tells the first measured speed at once, and later ones once they differ clearly", async () => {
    await hold(chatJob("a1"));
    await ran("a1");
    const measured = (generate: number): void =>
      runner.events?.measured({ prefill: 10 * generate, generate, backend: "cpu" });
    const hellos = () => queue.args["hello"] ?? [];
    const before = hellos().length;
    measured(100);
    await vi.waitFor(() => expect(hellos()).toHaveLength(before + 1), patient);
    expect(hellos().at(-1)).toMatchObject({
      capabilities: { speeds: [{ of: "m", outputPerSecond: 108 }], concurrency: 1, prefetch: 1 },
    });
    measured(130);
    measured(400);
    await vi.waitFor(() => expect(hellos()).toHaveLength(before + 2), patient);
    expect(hellos().at(-1)).toMatchObject({ capabilities: { speeds: [{ outputPerSecond: 212 }] } });
  });

  it("inspects models before it takes jobs, and offers those that fit into memory", async () => {
    const others = await Promise.all(
      ["new", "huge"].map(async (modelId) => {
        const path = join(folder, modelId);
        await writeFile(path, modelId);
        const sha256 = createHash("sha256").update(modelId).digest("hex");
        const model = { modelId, sha256, sizeBytes: modelId.length, contextTokens: 64 };
        await catalog.add({ ...model, path });
        return model;
      }),
    );
    wanted = [...wanted, ...others];
    work.wantedChanged(true);
    expect(inspected).toEqual([]);
    work.accept(limits);
    await vi.waitFor(() => {
      expect(queue.args["hello"]?.at(-1)).toMatchObject({ capabilities: { models: ["m", "new"] } });
    }, patient);
    expect(inspected).toEqual(["new", "huge"]);
  });

  it("offers a model once memory for it becomes free", async () => {
    free = 2 ** 20;
    work.accept(limits);
    await vi.waitFor(() => {
      expect(queue.args["hello"]?.at(-1)).toMatchObject({ capabilities: { models: [] } });
    }, patient);
    free = 2 ** 30;
    await vi.waitFor(() => {
      expect(queue.args["hello"]?.at(-1)).toMatchObject({ capabilities: { models: ["m"] } });
    }, patient);
  });

  it("offers a model whose first inspection failed by accident", async () => {
    const path = join(folder, "flaky");
    await writeFile(path, "flaky");
    const sha256 = createHash("sha256").update("flaky").digest("hex");
    const model = { modelId: "flaky", sha256, sizeBytes: 5, contextTokens: 64 };
    await catalog.add({ ...model, path });
    wanted = [model];
    work.wantedChanged(true);
    work.accept(limits);
    await vi.waitFor(() => {
      expect(queue.args["hello"]?.at(-1)).toMatchObject({ capabilities: { models: ["flaky"] } });
    }, patient);
    expect(inspected).toEqual(["flaky", "flaky"]);
  });

  it("uses models with the organization's current context and template", () => {
    wanted = wanted.map((model) => ({ ...model, contextTokens: 32, template: "{{ messages }}" }));
    work.wantedChanged(true);
    expect(work.usableModels).toMatchObject([
      { modelId: "m", contextTokens: 32, template: "{{ messages }}" },
    ]);
    expect(plans.planFor(work.usableModels[0]!).contextTokens).toBe(32);
  });

  it("returns a job's answer with its tokens and times, and shows it in the panel meanwhile", async () => {
    await hold(chatJob("a1"));
    await ran("a1");
    expect(views.at(-1)).toMatchObject({ attemptId: "a1", kind: "chat", modelId: "m", phase: "loading" });
    runner.events?.text({ text: "yes", items: [], tokens: 2 });
    runner.finish({ kind: "done", result });
    const { args } = await called("complete");
    expect(args).toMatchObject({
      result: { text: "yes", finishReason: "stop" },
      report: { usage: result.usage, timing: result.timing },
      demand: { jobs: 1 },
    });
    expect(views.at(-2)).toMatchObject({ phase: "writing", writtenChars: 3, writtenTokens: 2 });
    expect(views.at(-1)).toBeNull();
  });

  it("loads a model when it begins to take jobs, and stops that at once on a yield", async () => {
    work.warmUp();
    expect(runner.did).toEqual([]);
    work.accept(limits);
    work.warmUp();
    await vi.waitFor(() => expect(runner.did).toEqual([expect.stringMatching(/^run warm-/)]), patient);
    expect(runner.job).toMatchObject({ model: { modelId: "m" }, work: { request: { maxTokens: 1 } } });
    expect(views).toEqual([]);
    const warming = runner.job!.attemptId;
    await work.yield("in-use", 0);
    expect(runner.did.slice(1)).toEqual([`abort ${warming}`, "yield"]);
  });

  it("tells the queue how long its model has to load once the runner has rested, until it is loaded again", async () => {
    const load = { modelId: "m", backend: "cpu", gpuLayers: 0, contextTokens: 64, sequences: 1 } as const;
    const speedsTold = () =>
      queue.args["hello"]?.at(-1) as { capabilities: { speeds?: object[] } } | undefined;
    const told = async (speed: object) =>
      await vi.waitFor(() => expect(speedsTold()?.capabilities.speeds).toEqual([speed]), patient);
    await hold(chatJob("a1"));
    await ran("a1");
    runner.events?.loaded({ ...load, loadMs: 4_000, passedOver: [] });
    runner.events?.measured({ prefill: 200, generate: 20, backend: "cpu" });
    const speed = { of: "m", inputPerSecond: 212, outputPerSecond: 18.2 };
    work.modelsChanged();
    await told(speed);
    work.runnerRested();
    await told({ ...speed, setupMs: 4_000 });
    runner.events?.loaded({ ...load, loadMs: 5_000, passedOver: [] });
    await told(speed);
    work.runnerRested();
    await told({ ...speed, setupMs: 5_000 });
    // A model is loaded whenever the device begins to donate.
    await work.yield("in-use", 0);
    work.runnerRested();
    work.accept(limits);
    await told(speed);
  });

  it("tells how long each model has to load that is not in memory, once for each switch of models", async () => {
    const path = join(folder, "n.gguf");
    await writeFile(path, "weightsweights");
    const sha256 = createHash("sha256").update("weightsweights").digest("hex");
    const other = { modelId: "n", sha256, sizeBytes: 14, contextTokens: 64 };
    knowledge.setFigures(sha256, figures);
    wanted = [...wanted, other];
    await catalog.add({ ...other, path });
    const measured = { prefill: 200, generate: 20, backend: "cpu" } as const;
    for (const model of work.usableModels) plans.measured(model, measured);
    work.modelsChanged();
    const setups = () => {
      const hello = queue.args["hello"]?.at(-1) as {
        capabilities: { speeds?: { of: string; setupMs?: number }[] };
      };
      return hello.capabilities.speeds?.map((speed) => [speed.of, speed.setupMs]);
    };
    const told = async (expected: readonly unknown[]) =>
      await vi.waitFor(() => expect(setups()).toEqual(expected), patient);
    const load = { backend: "cpu", gpuLayers: 0, contextTokens: 64, sequences: 1, passedOver: [] } as const;
    const next = async (job: ReturnType<typeof claimedJob>) => {
      runner.finish({ kind: "done", result });
      const complete = await called("complete");
      queue.showHeld(job.attemptId);
      complete.answer({ kind: "completed", ...nextWork([job]) });
      await ran(job.attemptId);
    };
    await hold(chatJob("a1"));
    await ran("a1");
    runner.events?.loaded({ ...load, modelId: "m", loadMs: 4_000 });
    // The other file is twice as large.
    await told([
      ["m", undefined],
      ["n", 8_000],
    ]);
    await next(chatJob("a2", { requirements: { model: "n" } }));
    const before = queue.args["hello"]?.length ?? 0;
    runner.events?.loaded({ ...load, modelId: "n", loadMs: 6_000 });
    await told([
      ["m", 4_000],
      ["n", undefined],
    ]);
    // This model stays in memory.
    await next(chatJob("a3", { requirements: { model: "n" } }));
    runner.events?.loaded({ ...load, modelId: "n", loadMs: 0 });
    await next(chatJob("a4"));
    expect(queue.args["hello"]).toHaveLength(before + 1);
    runner.events?.loaded({ ...load, modelId: "m", loadMs: 3_000 });
    await told([
      ["m", undefined],
      ["n", 6_000],
    ]);
    work.runnerRested();
    await told([
      ["m", 3_000],
      ["n", 6_000],
    ]);
    runner.finish({ kind: "done", result });
    await called("complete");
  });

  it("stops its job at once on a yield, and then releases it", async () => {
    await hold(chatJob("a1"));
    await ran("a1");
    const yielded = work.yield("in-use", 0);
    expect(runner.did.slice(0, 2)).toEqual(["run a1", "yield"]);
    await yielded;
    expect((await called("release")).args).toMatchObject({
      attemptIds: ["a1"],
      reason: "in-use",
      leave: true,
    });
  });

  it("keeps a job that fits the new limits", async () => {
    await hold(chatJob("a1"));
    await ran("a1");
    loadedOn("cpu");
    work.limit({ ...limits, threads: 1, memoryMb: 1_024, dutyCycle: 0.5 });
    expect(runner.did).toEqual(["run a1"]);
  });

  it("rests while somebody types, without new plans", async () => {
    await hold(chatJob("a1"));
    await ran("a1");
    loadedOn("cpu");
    free = 0;
    work.limit({ ...limits, stillSince: 1 });
    expect(runner.limits.at(-1)).toMatchObject({ dutyCycle: 0 });
    work.limit(limits);
    expect(runner.limits.at(-1)).toMatchObject({ dutyCycle: 1 });
    expect(runner.did).toEqual(["run a1"]);
  });

  it("stops resting when it yields, because its person may use the runner", async () => {
    work.accept(limits);
    work.limit({ ...limits, stillSince: 1 });
    await work.yield("in-use", 60);
    expect(runner.limits.at(-1)).toMatchObject({ dutyCycle: 1 });
  });

  it.each([
    ["memory", { memoryMb: 0 }, "cpu"],
    ["a GPU", { gpu: false }, "cuda"],
    ["one of its GPUs", { gpu: true, deniedGpus: [1] }, "cuda"],
  ] as const)("releases a job that uses %s that is no longer allowed", async (_what, change, backend) => {
    await hold(chatJob("a1"));
    await ran("a1");
    loadedOn(backend);
    work.limit({ ...limits, ...change });
    expect(runner.did.slice(0, 2)).toEqual(["run a1", "yield"]);
    expect((await called("release")).args).toMatchObject({ attemptIds: ["a1"], reason: "limits" });
    expect(work.deniedGpus).toEqual("deniedGpus" in change ? [1] : []);
  });

  it("releases a job whose model no longer fits the limits that changed meanwhile", async () => {
    work.accept(limits);
    const take = await called("take");
    work.limit({ ...limits, memoryMb: 1 });
    queue.showHeld("a1");
    take.answer({ kind: "ok", ...nextWork([chatJob("a1")]) });
    expect((await called("release")).args).toMatchObject({ attemptIds: ["a1"], leave: false });
    expect(runner.did).toEqual([]);
  });

  it("finishes the current job and takes no other when its person asks for that", async () => {
    await hold(chatJob("a1"));
    await ran("a1");
    let over = false;
    const finished = work.finish().then(() => (over = true));
    runner.events?.text({ text: "yes", items: [], tokens: 2 });
    expect(over).toBe(false);
    runner.finish({ kind: "done", result });
    const { args } = await called("complete");
    expect(args).toMatchObject({ result: { text: "yes" }, demand: { jobs: 0 } });
    await finished;
  });

  it.each([
    ["a job's owner of cached prompts", { cacheOwner: "a".repeat(32) }, "a".repeat(32)],
    ["no owner, since an older backend names none", {}, undefined],
    ["no owner, since this one is malformed", { cacheOwner: "everybody" }, undefined],
  ])("tells the runner %s", async (_what, named, cacheOwner) => {
    await hold(chatJob("a1", { payload: { ...request, ...named } }));
    await ran("a1");
    expect(runner.job).toMatchObject({ work: { request } });
    expect(runner.job?.cacheOwner).toBe(cacheOwner);
    runner.finish({ kind: "done", result });
    await called("complete");
  });

  it("leaves a request with values out of bounds, perhaps of a newer backend, to other devices without a run", async () => {
    await hold(chatJob("a1", { payload: { ...request, maxTokens: -1 } }));
    expect((await called("fail")).args["error"]).toMatchObject({
      code: "request_unsupported",
      retryable: true,
      unfit: true,
    });
    expect(runner.did).toEqual([]);
  });

  it("fails a job whose model is not here as retryable elsewhere", async () => {
    await hold(chatJob("a1", { requirements: { model: "unheard of" } }));
    expect((await called("fail")).args["error"]).toMatchObject({
      code: "model_unavailable",
      unfit: true,
      retryable: true,
    });
  });

  it("releases a job that the runner aborted by itself", async () => {
    await hold(chatJob("a1"));
    await ran("a1");
    runner.finish({ kind: "aborted" });
    expect((await called("release")).args).toMatchObject({
      attemptIds: ["a1"],
      reason: "stopped",
      leave: false,
    });
  });
});

describe("a model that fits only into the GPU's memory", () => {
  const withGpu = { ...limits, gpu: true };

  beforeEach(() => {
    const [model] = work.usableModels;
    if (model === undefined) throw new Error("no model");
    knowledge.setFigures(model.sha256, largeModel);
    // 2 GB of RAM are free, less a share for other programs.
    free = 1_740 * mb;
    vramMb = 7_680;
  });

  async function offers(capabilities: object): Promise<void> {
    await vi.waitFor(() => {
      expect(queue.args["hello"]?.at(-1)).toMatchObject({ capabilities });
    }, patient);
  }

  async function holdOnGpu(): Promise<void> {
    work.accept(withGpu);
    await offers({ models: ["m"], vramMb: 7_680, gpu: true });
    const take = await called("take");
    queue.showHeld("a1");
    take.answer({ kind: "ok", ...nextWork([chatJob("a1")]) });
  }

  it("is offered, and the runner is asked for its layers on the GPU", async () => {
    await holdOnGpu();
    await ran("a1");
    expect(runner.job?.plan).toMatchObject({
      backends: ["cuda", "vulkan"],
      gpuLayers: { least: 29, most: 33 },
    });
    runner.finish({ kind: "done", result });
    await called("complete");
  });

  it("is not offered while the rules forbid the GPU", async () => {
    work.accept(limits);
    expect(work.wantsGpu).toBe(false);
    await offers({ models: [] });
    expect(queue.args["hello"]?.at(-1)).not.toMatchObject({ capabilities: { vramMb: 7_680 } });
    work.limit(withGpu);
    await offers({ models: ["m"], vramMb: 7_680 });
    work.limit({ ...limits, gpuHeldBy: "others" });
    await offers({ models: [] });
    expect(work.wantsGpu).toBe(true);
  });

  it("is no longer offered, and its job is released, when the GPU is withdrawn", async () => {
    await holdOnGpu();
    await ran("a1");
    loadedOn("cuda");
    vramMb = null;
    work.gpuChanged();
    expect(runner.did.slice(0, 2)).toEqual(["run a1", "yield"]);
    expect((await called("release")).args).toMatchObject({ attemptIds: ["a1"], reason: "limits" });
    await offers({ models: [] });
    expect(plans.planFor(work.usableModels[0]!).backends).toContain("cpu");
  });

  it("keeps a running job while the GPU's free memory changes, but not its use", async () => {
    await holdOnGpu();
    await ran("a1");
    loadedOn("cuda");
    vramMb = 8_192;
    work.gpuChanged();
    expect(runner.did).toEqual(["run a1"]);
    await offers({ models: ["m"], vramMb: 8_192 });
  });

  it("goes to another device if the GPU refuses it, and is not offered for a while", async () => {
    await holdOnGpu();
    await ran("a1");
    const error = { code: "out_of_memory", message: "too little memory", retryable: true } as const;
    runner.finish({ kind: "failed", error });
    expect((await called("release")).args).toMatchObject({ attemptIds: ["a1"] });
    await offers({ models: [] });
  });
});

describe("a model's file that the runner finds bad", () => {
  it.each(["model_corrupt", "model_unavailable"] as const)(
    "stops offering a model whose file is corrupt after %s",
    async (code) => {
      await hold(chatJob("a1"));
      await ran("a1");
      await writeFile(join(folder, "m.gguf"), "weightz");
      runner.finish({ kind: "failed", error: { code, message: "bad", retryable: true } });
      const fail = await called("fail");
      expect(fail.args).toMatchObject({ error: { code, unfit: true }, demand: { jobs: 0 } });
      queue.showHeld();
      fail.answer({ kind: "failed", ...nextWork([], []) });
      await vi.waitFor(() => expect(catalog.stateOf(wanted[0]!)).toBe("corrupt"), patient);
      expect(work.usableModels).toEqual([]);
      expect(queue.args["hello"]?.at(-1)).toMatchObject({ capabilities: { models: [] } });
    },
  );

  it("offers a model again when its file turns out to be intact", async () => {
    await hold(chatJob("a1"));
    await ran("a1");
    const error = { code: "model_corrupt", message: "bad", retryable: true } as const;
    runner.finish({ kind: "failed", error });
    const fail = await called("fail");
    // Until then its capabilities lack the model, so it leaves the lane.
    await vi.waitFor(() => expect(catalog.stateOf(wanted[0]!)).toBe("ready"), patient);
    queue.showHeld();
    fail.answer({ kind: "failed", ...nextWork([], []) });
    (await called("take")).answer({ kind: "ok", ...nextWork([], [someSubscription]) });
    await vi.waitFor(() => expect(queue.followed).toEqual([someSubscription]), patient);
    await vi.waitFor(
      () => expect(queue.args["hello"]?.at(-1)).toMatchObject({ capabilities: { models: ["m"] } }),
      patient,
    );
  });
});

describe("a runner that crashed", () => {
  it("takes no job during the pause after a crash, and one after it", async () => {
    await hold(chatJob("a1"));
    await ran("a1");
    runner.restMs = 300;
    const since = performance.now();
    const error = { code: "runner_crashed", message: "ended", retryable: true } as const;
    runner.finish({ kind: "failed", error });
    const fail = await called("fail");
    expect(fail.args).toMatchObject({ error: { code: "runner_crashed" }, demand: { jobs: 0 } });
    queue.showHeld();
    fail.answer({ kind: "failed", ...nextWork([], []) });
    expect((await called("take")).args["demand"]).toMatchObject({ jobs: 1 });
    expect(performance.now() - since).toBeGreaterThanOrEqual(runner.restMs);
  });
});
