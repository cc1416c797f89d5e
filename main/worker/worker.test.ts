import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChatResult } from "../../app/jobs/chat.ts";
import { silentLog } from "../log.ts";
import { ModelCatalogue } from "../models/catalogue.ts";
import type { RunnerJob, RunOutcome } from "../runner/supervisor.ts";
import {
  type Acknowledged,
  type ClaimOutcome,
  type Me,
  type Settled,
  UnknownDeviceError,
} from "./backend.ts";
import { claimedJob, FakeBackend } from "./fake-backend.fixture.ts";
import { Worker, type WorkerRunner } from "./worker.ts";

/** A runner whose jobs end when the test says so; an abort ends them as the real one does. */
class HandRunner implements WorkerRunner {
  readonly ran: string[] = [];
  restingUntil: number | null = null;
  yields = 0;
  finish: ((outcome: RunOutcome) => void) | null = null;

  run(job: RunnerJob): Promise<RunOutcome> {
    this.ran.push(job.attemptId);
    return new Promise((resolve) => {
      this.finish = resolve;
    });
  }
  async abort(): Promise<void> {
    this.finish?.({ kind: "aborted" });
  }
  async yield(): Promise<void> {
    this.yields += 1;
  }
  async stop(): Promise<void> {
    this.ran.push("stopped");
  }
}

const result: ChatResult = {
  text: "yes",
  finishReason: "stop",
  usage: { promptTokens: 3, completionTokens: 1 },
  timing: { prefillMs: 1, generateMs: 1 },
};

let folder: string;
let backend: FakeBackend;
let runner: HandRunner;
let worker: Worker;
let me: Me;
let catalogue: ModelCatalogue;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-worker-"));
  const path = join(folder, "m.gguf");
  await writeFile(path, "weights");
  const sha256 = createHash("sha256").update("weights").digest("hex");
  catalogue = new ModelCatalogue(silentLog);
  const model = { modelId: "m", sha256, sizeBytes: 7, contextTokens: 64 };
  await catalogue.add({ ...model, path });
  me = { deviceId: "d", name: "n", organizationName: "o", status: "active", models: [model] };
  backend = new FakeBackend();
  runner = new HandRunner();
  worker = new Worker({
    backend,
    runner,
    catalogue,
    threads: 1,
    version: "1",
    log: silentLog,
    onChange: () => undefined,
    random: () => 0,
  });
  worker.start();
  worker.enrolled();
  backend.show({ connection: { connected: true, generation: 1 }, me, held: [] });
  await settle();
});

afterEach(async () => {
  await worker.stop(50);
  catalogue.stop();
  await rm(folder, { recursive: true });
});

const settle = (ms = 10): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function claimFirst(attemptId: string): Promise<void> {
  worker.accept();
  backend.show({ ready: ["j1"] });
  const claim = await backend.take<ClaimOutcome>("claim");
  backend.show({ held: [attemptId] });
  claim.answer({ kind: "claimed", claimed: claimedJob(attemptId) });
  await settle();
}

describe("the worker", () => {
  it("greets once a connection, and again when it comes back", async () => {
    expect(backend.log.filter((call) => call === "hello")).toHaveLength(1);
    backend.show({ me });
    backend.show({ connection: { connected: false, generation: 1 } });
    backend.show({ connection: { connected: true, generation: 2 } });
    await settle();
    expect(backend.log.filter((call) => call === "hello")).toHaveLength(2);
  });

  it("greets again after a refusal, with nothing else to wake it, and takes work then", async () => {
    backend.helloRefusals = 1;
    backend.show({ connection: { connected: true, generation: 2 } });
    worker.accept();
    await settle();
    expect(backend.watchesReady).toBe(false);
    await settle(1_050);
    expect(backend.log.filter((call) => call === "hello")).toHaveLength(3);
    expect(backend.watchesReady).toBe(true);
  });

  it("watches the ready jobs only while it could take one", async () => {
    expect(backend.watchesReady).toBe(false);
    worker.accept();
    expect(backend.watchesReady).toBe(true);
    await claimFirst("a1");
    expect(backend.watchesReady).toBe(false);
    runner.finish?.({ kind: "done", result });
    (await backend.take<Settled>("complete")).answer({ kind: "settled", earnedMicro: 1n, next: null });
    backend.show({ held: [] });
    await settle();
    expect(backend.watchesReady).toBe(true);
    await worker.yield("in-use");
    expect(backend.watchesReady).toBe(false);
  });

  it("tries another job when one was taken, and each again later", async () => {
    worker.accept();
    backend.show({ ready: ["j1", "j2"] });
    const first = await backend.take<ClaimOutcome>("claim");
    expect(first.args).toEqual(["j1"]);
    first.answer({ kind: "taken" });
    const second = await backend.take<ClaimOutcome>("claim");
    expect(second.args).toEqual(["j2"]);
    second.answer({ kind: "taken" });
    await settle();
    expect(backend.calls).toEqual([]);
    await settle(1_050);
    expect((await backend.take("claim")).args).toEqual(["j1"]);
  });

  it("runs the job that came with a settlement right away", async () => {
    await claimFirst("a1");
    runner.finish?.({ kind: "done", result });
    const complete = await backend.take<Settled>("complete");
    expect(complete.args).toEqual(["a1", result, true]);
    backend.show({ held: ["a2"] });
    complete.answer({ kind: "settled", earnedMicro: 1n, next: claimedJob("a2") });
    await settle();
    expect(runner.ran).toEqual(["a1", "a2"]);
    expect(backend.log).not.toContain("release");
  });

  it("gives a job back that came with a settlement after the person returned", async () => {
    await claimFirst("a1");
    runner.finish?.({ kind: "done", result });
    const complete = await backend.take<Settled>("complete");
    await worker.yield("in-use");
    complete.answer({ kind: "settled", earnedMicro: 1n, next: claimedJob("a2") });
    expect((await backend.take("release")).args).toEqual(["a2", "in-use"]);
    expect(runner.ran).toEqual(["a1"]);
  });

  it("gives a job back whose claim was under way when the person returned", async () => {
    worker.accept();
    backend.show({ ready: ["j1"] });
    const claim = await backend.take<ClaimOutcome>("claim");
    await worker.yield("on-battery");
    claim.answer({ kind: "claimed", claimed: claimedJob("a1") });
    expect((await backend.take("release")).args).toEqual(["a1", "on-battery"]);
    expect(runner.ran).toEqual([]);
    expect(runner.yields).toBe(1);
  });

  it("stops and gives back the job under way when the person returns", async () => {
    await claimFirst("a1");
    await worker.yield("in-use");
    expect((await backend.take("release")).args).toEqual(["a1", "in-use"]);
    expect(runner.yields).toBe(1);
  });

  it("drops a job that the backend no longer counts as its own", async () => {
    await claimFirst("a1");
    backend.show({ held: [] });
    await settle();
    expect(backend.log).not.toContain("release");
    expect(worker.work).toBeNull();
    expect(backend.watchesReady).toBe(true);
  });

  it("drops a job that was canceled before its claim was answered", async () => {
    worker.accept();
    backend.show({ ready: ["j1"] });
    const claim = await backend.take<ClaimOutcome>("claim");
    // Claimed and canceled between two looks: the list of held attempts never showed it.
    claim.answer({ kind: "claimed", claimed: claimedJob("a1") });
    await settle();
    expect(worker.work).toBeNull();
    expect(backend.log).not.toContain("complete");
  });

  it("drops a result that the fence refused, and goes on", async () => {
    await claimFirst("a1");
    runner.finish?.({ kind: "done", result });
    (await backend.take<Settled>("complete")).answer({ kind: "fenced" });
    await settle();
    expect(worker.work).toBeNull();
    expect(backend.watchesReady).toBe(true);
  });

  it("sends a result again that the backend could not take, and gives up after four times", async () => {
    await claimFirst("a1");
    runner.finish?.({ kind: "done", result });
    for (let time = 0; time < 4; time++)
      (await takeWithin("complete", 4_000)).refuse(new Error("overloaded"));
    await settle();
    // Still held there: given back, for another device to do.
    expect((await backend.take("release")).args).toEqual(["a1", "not at work on it"]);
  }, 15_000);

  it("gives back what it holds without knowing why, once", async () => {
    backend.show({ held: ["old"] });
    backend.show({ held: ["old"] });
    const release = await backend.take<Acknowledged>("release");
    expect(release.args[0]).toBe("old");
    expect(backend.calls).toEqual([]);
    release.answer({ kind: "ok" });
  });

  it("fails a job whose request keeps no bounds, and gives back one whose model is not here", async () => {
    worker.accept();
    backend.show({ ready: ["j1"] });
    (await backend.take<ClaimOutcome>("claim")).answer({
      kind: "claimed",
      claimed: claimedJob("a1", { request: null }),
    });
    const fail = await backend.take<Acknowledged>("fail");
    expect(fail.args[1]).toMatchObject({ code: "internal_error", retryable: false });
    fail.answer({ kind: "ok" });
    backend.show({ ready: ["j2"] });
    (await backend.take<ClaimOutcome>("claim")).answer({
      kind: "claimed",
      claimed: claimedJob("a2", { modelId: "unheard of" }),
    });
    expect((await backend.take("release")).args[0]).toBe("a2");
  });

  it.each(["model_corrupt", "model_unavailable"] as const)(
    "takes no more work for a model whose file went bad, after one attempt failed with %s",
    async (code) => {
      await claimFirst("a1");
      await writeFile(join(folder, "m.gguf"), "weightz");
      runner.finish?.({ kind: "failed", error: { code, message: "bad", retryable: true } });
      (await backend.take<Acknowledged>("fail")).answer({ kind: "ok" });
      backend.show({ held: [], ready: ["j2", "j3"] });
      await settle(50);
      expect(backend.log.filter((call) => call === "claim")).toHaveLength(1);
      expect(backend.watchesReady).toBe(false);
      expect(worker.usableModels).toEqual([]);
      expect(catalogue.stateOf(me.models[0]!)).toBe("corrupt");
      expect(backend.hellos.at(-1)?.models).toEqual([]);
    },
  );

  it("claims on when the file that an attempt failed on is well again", async () => {
    await claimFirst("a1");
    const error = { code: "model_corrupt", message: "bad", retryable: true } as const;
    runner.finish?.({ kind: "failed", error });
    (await backend.take<Acknowledged>("fail")).answer({ kind: "ok" });
    backend.show({ held: [] });
    await settle(50);
    expect(backend.watchesReady).toBe(true);
    expect(backend.hellos.at(-1)?.models).toEqual(["m"]);
  });

  it("claims nothing while the runner rests after crashes, and goes on after", async () => {
    runner.restingUntil = Date.now() + 150;
    worker.accept();
    backend.show({ ready: ["j1"] });
    await settle();
    expect(backend.watchesReady).toBe(false);
    await settle(200);
    expect(backend.watchesReady).toBe(true);
  });

  it("claims nothing without a connection", async () => {
    worker.accept();
    backend.show({ connection: { connected: false, generation: 1 } });
    backend.show({ ready: ["j1"] });
    await settle();
    expect(backend.log).not.toContain("claim");
  });

  it("takes no work for an organization that retired it, or forgot it", async () => {
    worker.accept();
    expect(backend.watchesReady).toBe(true);
    backend.show({ me: { ...me, status: "retired" } });
    expect(backend.watchesReady).toBe(false);
    backend.show({ meError: new UnknownDeviceError() });
    expect(worker.unknownHere).toBe(true);
    expect(worker.me).toBeNull();
  });

  it("gives its job back and says goodbye at the end, in this order", async () => {
    await claimFirst("a1");
    const stopped = worker.stop(1_000);
    (await backend.take<Acknowledged>("release")).answer({ kind: "ok" });
    await stopped;
    expect(backend.log.slice(-2)).toEqual(["release", "goodbye"]);
    expect(runner.ran.at(-1)).toBe("stopped");
  });

  it("waits no longer than it may at the end", async () => {
    await claimFirst("a1");
    const startedAt = Date.now();
    await worker.stop(100);
    expect(Date.now() - startedAt).toBeLessThan(1_000);
  });

  it("reports what it does at each change, once", async () => {
    worker.setActivity({ kind: "donating", reason: "idle", since: 1 });
    worker.setActivity({ kind: "donating", reason: "idle", since: 2 });
    await settle();
    worker.setActivity({ kind: "holding", reason: "in-use", since: 3 });
    await settle();
    expect(backend.log.filter((call) => call.startsWith("report"))).toEqual(["report idle", "report in-use"]);
  });
});

async function takeWithin(name: string, ms: number): Promise<{ refuse: (error: Error) => void }> {
  const until = Date.now() + ms;
  for (;;) {
    const index = backend.calls.findIndex((call) => call.name === name);
    if (index >= 0) return backend.calls.splice(index, 1)[0]!;
    if (Date.now() > until) throw new Error(`no call of ${name}`);
    await settle();
  }
}
