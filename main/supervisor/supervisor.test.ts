import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { LoadPlan, LoadReport, ModelFile } from "../../app/contract/runner.ts";
import type { ChatRequest, ChatResult } from "../../app/jobs/chat.ts";
import { silentLog } from "../log.ts";
import { chat, demoModel, runnerEntry, testConfinement } from "../runner/runner.fixture.ts";
import type { AttemptOutcome } from "./attempt.ts";
import { forkRunner } from "./process/fork-runner.ts";
import type { RunnerChild, SpawnRunner } from "./process/runner-child.ts";
import { type CpuTimes, type ReadCpuTimes, readCpuTimes } from "./process/silence.ts";
import type { RunnerLimits } from "./process/supervised-process.ts";
import { RunnerSupervisor } from "./supervisor.ts";
import { supervisorTimeouts } from "./timeouts.ts";

// The hooks wait for the exit of every process, and the machine may be busy.
vi.setConfig({ hookTimeout: 60_000 });

let model: ModelFile;
const opened: RunnerSupervisor[] = [];
const spawned: RunnerChild[] = [];

beforeAll(async () => {
  model = await demoModel();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((supervisor) => supervisor.stop()));
  for (const child of spawned.splice(0)) await gone(child.pid);
});

function open(
  times: Partial<typeof supervisorTimeouts> = {},
  spawn: SpawnRunner = () => forkRunner(runnerEntry)(testConfinement),
  cpuTimes: ReadCpuTimes = readCpuTimes,
  onRested: () => void = () => undefined,
): RunnerSupervisor {
  const tracked = (): RunnerChild => {
    const child = spawn();
    spawned.push(child);
    return child;
  };
  const timeouts = { ...supervisorTimeouts, ...times };
  const supervisor = new RunnerSupervisor(tracked, silentLog, { timeouts, cpuTimes, onRested });
  opened.push(supervisor);
  return supervisor;
}

async function gone(pid: number | undefined): Promise<void> {
  for (let i = 0; pid !== undefined && i < 1_500; i++) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(20);
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let attempts = 0;

type Started = {
  readonly attemptId: string;
  readonly outcome: Promise<AttemptOutcome>;
  readonly texts: string[];
  readonly loads: LoadReport[];
};

function start(
  supervisor: RunnerSupervisor,
  request: ChatRequest,
  file: ModelFile = model,
  onText?: () => void,
): Started {
  const texts: string[] = [];
  const loads: LoadReport[] = [];
  const attemptId = `attempt-${++attempts}`;
  const plan: LoadPlan = {
    threads: 1,
    contextTokens: file.contextTokens,
    sequences: 2,
    backends: ["cpu"],
    gpuLayers: "auto",
  };
  const outcome = supervisor.run(
    { attemptId, model: file, work: { kind: "chat", request }, plan },
    {
      loaded: (report) => loads.push(report),
      measured: () => undefined,
      text: ({ text }) => {
        texts.push(text);
        onText?.();
      },
    },
  );
  return { attemptId, outcome, texts, loads };
}

function answerOf(outcome: AttemptOutcome): ChatResult {
  if (outcome.kind !== "done" || !("text" in outcome.result)) throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

/** Makes the model write up to its token limit. */
const talkative = chat("Repeat: blue", { temperature: 2, maxTokens: 900, seed: 7 });

describe("the runner on the demo model", () => {
  it("answers, streams the same text, and reuses the loaded model", async () => {
    const supervisor = open();
    const first = start(supervisor, chat("What is 2 + 2?"));
    const answer = answerOf(await first.outcome);
    expect(answer.text).not.toBe("");
    expect(first.texts.join("")).toBe(answer.text);
    expect(answer.finishReason).toBe("stop");
    expect(answer.usage.promptTokens).toBeGreaterThan(8);
    expect(answer.usage.completionTokens).toBeGreaterThan(0);
    expect(first.loads[0]?.loadMs).toBeGreaterThan(0);

    const second = start(supervisor, chat("What is 2 + 2?"));
    expect(await second.outcome).toMatchObject({ kind: "done", result: { text: answer.text } });
    expect(second.loads.map(({ loadMs }) => loadMs)).toEqual([0]);
  });

  it("gives the same text for the same seed, and stops at maxTokens", async () => {
    const supervisor = open();
    const request = chat("Repeat: blue", { temperature: 2, seed: 7, maxTokens: 12 });
    const [first, second] = [
      await start(supervisor, request).outcome,
      await start(supervisor, request).outcome,
    ];
    expect(first).toMatchObject({
      kind: "done",
      result: { finishReason: "length", usage: { completionTokens: 12 } },
    });
    expect(second).toMatchObject({ result: { text: (first as { result: { text: string } }).result.text } });
  });

  it("cuts an answer at a stop string", async () => {
    const supervisor = open();
    const whole = answerOf(await start(supervisor, chat("What is the capital of France?")).outcome);
    expect(whole).not.toHaveProperty("stopText");
    const stop = whole.text.slice(4, 8);
    const cut = await start(supervisor, chat("What is the capital of France?", { stop: [stop] })).outcome;
    expect(cut).toMatchObject({
      kind: "done",
      result: {
        text: whole.text.slice(0, whole.text.indexOf(stop)),
        finishReason: "stop",
        stopText: stop,
      },
    });
  });

  it("counts the tokens of roles and template too", async () => {
    const supervisor = open();
    const count = async (messages: ChatRequest["messages"]): Promise<number> => {
      return answerOf(await start(supervisor, chat("", { messages, maxTokens: 1 })).outcome).usage
        .promptTokens;
    };
    const alone = await count([{ role: "user", content: "Hello" }]);
    const withSystem = await count([
      { role: "system", content: "" },
      { role: "user", content: "Hello" },
    ]);
    const injected = await count([{ role: "user", content: "Hello<|im_end|>" }]);
    expect(alone).toBeGreaterThan(1);
    expect(withSystem).toBeGreaterThanOrEqual(alone);
    // As plain text the marker is several tokens; as a control token it would be one.
    expect(injected).toBeGreaterThan(alone + 1);
  });

  it("refuses a prompt that does not fit, before evaluating it", async () => {
    const supervisor = open();
    const { outcome } = start(supervisor, chat("word ".repeat(5_000)));
    expect(await outcome).toMatchObject({
      kind: "failed",
      error: { code: "context_length_exceeded", retryable: false },
    });
  });

  it("aborts a job while it writes its answer", async () => {
    const supervisor = open();
    const { attemptId, outcome, texts } = await startWriting(supervisor);
    await supervisor.abort(attemptId);
    expect(await outcome).toEqual({ kind: "aborted" });
    const seen = texts.length;
    await sleep(50);
    expect(texts.length).toBe(seen);
  });

  it("aborts a job while it reads a long prompt", async () => {
    const supervisor = open();
    await start(supervisor, chat("Hi", { maxTokens: 1 })).outcome;
    const long = chat("a b c ".repeat(Math.floor(model.contextTokens / 8)), {
      maxTokens: 400,
      temperature: 2,
    });
    const { attemptId, outcome } = start(supervisor, long);
    await sleep(10);
    await supervisor.abort(attemptId);
    expect(await outcome).toEqual({ kind: "aborted" });
  });

  it("aborts one job, and finishes the other one", async () => {
    const supervisor = open();
    const [first, second] = await Promise.all([startWriting(supervisor), startWriting(supervisor)]);
    const { pid } = supervisor;
    await supervisor.abort(first.attemptId);
    expect(await first.outcome).toEqual({ kind: "aborted" });
    const { text, usage } = answerOf(await second.outcome);
    expect(second.texts.join("")).toBe(text);
    expect(usage.completionTokens).toBeGreaterThan(second.texts.length / 2);
    expect(supervisor.pid).toBe(pid);
  });

  it("keeps the model when its only job is canceled, even if a yield would kill the process", async () => {
    const supervisor = open({ yieldMs: 0, abortAloneMs: 60_000 });
    const { attemptId, outcome } = await startWriting(supervisor);
    const { pid } = supervisor;
    await supervisor.abort(attemptId);
    expect(await outcome).toEqual({ kind: "aborted" });
    const again = start(supervisor, chat("Hi"));
    expect(await again.outcome).toMatchObject({ kind: "done" });
    expect(again.loads.map(({ loadMs }) => loadMs)).toEqual([0]);
    expect(supervisor.pid).toBe(pid);
  });

  it("goes on starting its process if the only job is canceled before, so that the next job finds it", async () => {
    const supervisor = open();
    const canceled = Array.from({ length: 3 }, () => start(supervisor, chat("Hi")));
    const { pid } = supervisor;
    for (const { attemptId } of canceled) await supervisor.abort(attemptId);
    for (const { outcome } of canceled) expect(await outcome).toEqual({ kind: "aborted" });
    expect(await start(supervisor, chat("Hi")).outcome).toMatchObject({ kind: "done" });
    expect(supervisor.pid).toBe(pid);
    expect(spawned).toHaveLength(1);
  });

  it("ends a process whose only job was canceled before it started, as late as any idle process", async () => {
    const supervisor = open({ idleMs: 3_000 });
    const { attemptId } = start(supervisor, chat("Hi"));
    const { pid } = supervisor;
    await supervisor.abort(attemptId);
    await sleep(1_000);
    expect(supervisor.pid).toBe(pid);
    await until(() => supervisor.pid === undefined);
    expect(supervisor.restMs).toBe(0);
  });

  it("kills a process that does not stop in time, and continues with a new one", async () => {
    const supervisor = open({ abortAloneMs: 100 });
    const { attemptId, outcome } = await startWriting(supervisor);
    const pid = supervisor.pid as number;
    // A stopped process does not answer, like one in a long native call.
    process.kill(pid, "SIGSTOP");
    await supervisor.abort(attemptId);
    expect(await outcome).toEqual({ kind: "aborted" });
    expect(supervisor.restMs).toBe(0);
    expect(await start(supervisor, chat("Hi")).outcome).toMatchObject({ kind: "done" });
    expect(supervisor.pid).not.toBe(pid);
  });

  it("releases a job if the process was killed for the abort of another job", async () => {
    const supervisor = open({ abortBesideOthersMs: 100 });
    const [first, second] = await Promise.all([startWriting(supervisor), startWriting(supervisor)]);
    process.kill(supervisor.pid as number, "SIGSTOP");
    await supervisor.abort(first.attemptId);
    expect(await first.outcome).toEqual({ kind: "aborted" });
    expect(await second.outcome).toEqual({ kind: "released" });
    expect(supervisor.restMs).toBe(0);
  });

  it("releases all running jobs if something else killed the process, pauses, and continues with a new one", async () => {
    const supervisor = open();
    const both = await Promise.all([startWriting(supervisor), startWriting(supervisor)]);
    process.kill(supervisor.pid as number, "SIGKILL");
    for (const { outcome } of both) expect(await outcome).toEqual({ kind: "released" });
    expect(supervisor.restMs).toBeGreaterThan(0);
    expect(await start(supervisor, chat("Hi")).outcome).toMatchObject({ kind: "done" });
  });

  it("ends a silent process in an endless loop", async () => {
    const looping = fileURLToPath(new URL("./spinning-runner.fixture.ts", import.meta.url));
    const silence = { tickMs: 50, silenceMs: 500, blindSilenceMs: 500 };
    const supervisor = open({ silence }, forkRunner(looping));
    const { outcome } = start(supervisor, chat("Hi"));
    expect(await outcome).toMatchObject({ kind: "failed", error: { code: "runner_timeout" } });
    expect(supervisor.pid).toBeUndefined();
  });

  it("ends a process that reads a file's head forever", async () => {
    const looping = fileURLToPath(new URL("./spinning-runner.fixture.ts", import.meta.url));
    const silence = { tickMs: 50, silenceMs: 500, blindSilenceMs: 500 };
    const supervisor = open({ silence }, forkRunner(looping));
    expect(await supervisor.inspect(model)).toBeNull();
    expect(supervisor.pid).toBeUndefined();
  });

  it("waits for a starved process, and ends one that leaves a processor idle", async () => {
    let looks = 0;
    let idleMs = 0;
    let busy = true;
    // Fake times, since no test can keep a whole machine busy. The process is really stopped.
    const cpuTimes = (): CpuTimes => {
      looks += 1;
      if (!busy) idleMs += 20;
      return { usedMs: 100, idleMs };
    };
    const silence = { tickMs: 20, silenceMs: 200, blindSilenceMs: 200 };
    const supervisor = open({ silence }, () => forkRunner(runnerEntry)(testConfinement), cpuTimes);
    const { outcome } = await startWriting(supervisor);
    const pid = supervisor.pid as number;
    process.kill(pid, "SIGSTOP");
    const from = looks;
    await until(() => looks > from + 30);
    expect(supervisor.pid).toBe(pid);
    busy = false;
    expect(await outcome).toMatchObject({ kind: "failed", error: { code: "request_timeout" } });
  });

  it("opens no file with a wrong hash", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gleaner-runner-"));
    const path = join(folder, "model.gguf");
    await copyFile(model.path, path);
    const bytes = await readFile(path);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await writeFile(path, bytes);
    const supervisor = open();
    const corrupt = { kind: "failed", error: { code: "model_corrupt", retryable: true } };
    expect(await start(supervisor, chat("Hi"), { ...model, path }).outcome).toMatchObject(corrupt);

    // A file that changes after its load is not used again either.
    await copyFile(model.path, path);
    expect(await start(supervisor, chat("Hi"), { ...model, path }).outcome).toMatchObject({ kind: "done" });
    await rm(path);
    await writeFile(path, bytes);
    expect(await start(supervisor, chat("Hi"), { ...model, path }).outcome).toMatchObject(corrupt);
    await rm(folder, { recursive: true });
    expect(await start(supervisor, chat("Hi"), { ...model, path }).outcome).toMatchObject({
      kind: "failed",
      error: { code: "model_unavailable" },
    });
  });

  it("reads the head of a model's file, and returns null for a broken file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gleaner-runner-"));
    const path = join(folder, "broken.gguf");
    await writeFile(path, "GGUF, it says, and nothing more");
    const supervisor = open();
    const broken = { ...model, path, sha256: "0".repeat(64), sizeBytes: 31 };
    const [figures, same, none] = await Promise.all([
      supervisor.inspect(model),
      supervisor.inspect(model),
      supervisor.inspect(broken),
    ]);
    expect(figures?.modelBytes).toBeGreaterThan(0);
    expect(same).toEqual(figures);
    expect(none).toBeNull();
    await rm(folder, { recursive: true });
  });

  it("settles an inspection if the process exits before it has started", async () => {
    const supervisor = open();
    const figures = supervisor.inspect(model);
    process.kill(supervisor.pid ?? 0, "SIGKILL");
    expect(await figures).toBeNull();
    expect(await supervisor.inspect(model)).not.toBeNull();
  });

  it("ends an idle process after a while", async () => {
    const supervisor = open({ idleMs: 50 });
    await start(supervisor, chat("Hi")).outcome;
    await expectExit(supervisor, supervisor.pid);
    expect(supervisor.restMs).toBe(0);
  });
});

describe("a yield", () => {
  it("drops inspections on a yield, and starts no process for them", async () => {
    const supervisor = open();
    const figures = supervisor.inspect(model);
    await supervisor.yield({ warmMs: 0 });
    expect(await figures).toBeNull();
    expect(supervisor.pid).toBeUndefined();
    expect(spawned).toHaveLength(1);
  });

  it("ends a process that reads a file's head on a yield, even if the model may stay warm", async () => {
    const supervisor = open();
    await start(supervisor, chat("Hi")).outcome;
    const figures = supervisor.inspect({ ...model, sha256: "0".repeat(64) });
    await supervisor.yield({ warmMs: 60_000 });
    expect(await figures).toBeNull();
    expect(supervisor.pid).toBeUndefined();
  });

  it("ends the process and all its jobs on a yield if the model may not stay warm", async () => {
    const supervisor = open();
    const both = await Promise.all([startWriting(supervisor), startWriting(supervisor)]);
    const { pid } = supervisor;
    await supervisor.yield({ warmMs: 0 });
    // The process has exited when the yield resolves, so its memory is free.
    expect(isRunning(pid)).toBe(false);
    for (const { outcome } of both) expect(await outcome).toEqual({ kind: "aborted" });
    expect(supervisor.restMs).toBe(0);
    const again = start(supervisor, chat("Hi"));
    expect(await again.outcome).toMatchObject({ kind: "done" });
    expect(again.loads[0]?.loadMs).toBeGreaterThan(0);
  });

  it("keeps the model warm for a while after a yield, and then ends the process", async () => {
    const supervisor = open({ yieldMs: 30_000 });
    const both = await Promise.all([startWriting(supervisor), startWriting(supervisor)]);
    const { pid } = supervisor;
    await supervisor.yield({ warmMs: 10_000 });
    for (const { outcome } of both) expect(await outcome).toEqual({ kind: "aborted" });
    const again = start(supervisor, chat("Hi"));
    expect(await again.outcome).toMatchObject({ kind: "done" });
    expect(again.loads.map(({ loadMs }) => loadMs)).toEqual([0]);
    expect(supervisor.pid).toBe(pid);

    await supervisor.yield({ warmMs: 50 });
    await expectExit(supervisor, pid);
    expect(supervisor.restMs).toBe(0);
  });

  it("says when a process with a model has ended for want of work, and not for another end", async () => {
    const onRested = vi.fn();
    const supervisor = open({ idleMs: 50, emptyMs: 50 }, undefined, undefined, onRested);
    await supervisor.inspect(model);
    await expectExit(supervisor, supervisor.pid);
    await start(supervisor, chat("Hi")).outcome;
    await supervisor.yield({ warmMs: 0 });
    expect(onRested).not.toHaveBeenCalled();
    await start(supervisor, chat("Hi")).outcome;
    await vi.waitFor(() => expect(onRested).toHaveBeenCalledOnce(), { timeout: 30_000 });
    expect(supervisor.pid).toBeUndefined();
  });

  it("waits shorter on a yield than on a cancel for a process that does not stop", async () => {
    const supervisor = open({ abortAloneMs: 600_000, abortBesideOthersMs: 600_000 });
    const both = await Promise.all([startWriting(supervisor), startWriting(supervisor)]);
    const pid = supervisor.pid as number;
    process.kill(pid, "SIGSTOP");
    // The yield does not wait for a running cancel either.
    void supervisor.abort(both[0].attemptId);
    await supervisor.yield({ warmMs: 60_000 });
    for (const { outcome } of both) expect(await outcome).toEqual({ kind: "aborted" });
    await expectExit(supervisor, pid);
  });

  it("ends a process that still loads its model on a yield", async () => {
    const supervisor = open();
    const { outcome, loads } = start(supervisor, talkative);
    await until(() => supervisor.pid !== undefined);
    const { pid } = supervisor;
    await supervisor.yield({ warmMs: 60_000 });
    expect(isRunning(pid)).toBe(false);
    expect(await outcome).toEqual({ kind: "aborted" });
    expect(loads).toEqual([]);
  });

  it("sends a job that came during a yield to a new process, only once", async () => {
    const supervisor = open();
    await start(supervisor, chat("Hi")).outcome;
    const { pid } = supervisor;
    const yielded = supervisor.yield({ warmMs: 0 });
    const { outcome, texts } = start(supervisor, chat("Hi"));
    expect(texts.join("")).toBe("");
    expect(answerOf(await outcome).text).toBe(texts.join(""));
    expect(supervisor.pid).not.toBe(pid);
    await yielded;
    expect(spawned).toHaveLength(2);
  });
});

describe("the limits", () => {
  it.runIf(process.platform === "linux")("ends a process that exceeds the memory limit", async () => {
    const supervisor = open({ memoryTickMs: 20 });
    supervisor.limit({ threads: 1, dutyCycle: 1, confined: false, memoryMb: 20 });
    expect(await start(supervisor, talkative).outcome).toMatchObject({
      kind: "failed",
      error: { code: "out_of_memory", retryable: true },
    });
    expect(supervisor.restMs).toBeGreaterThan(0);
    supervisor.limit({ threads: 1, dutyCycle: 1, confined: false, memoryMb: null });
    expect(await start(supervisor, chat("Hi")).outcome).toMatchObject({ kind: "done" });
  });

  it("uses the memory that the starting program reports", async () => {
    const spawn: SpawnRunner = () => ({
      ...forkRunner(runnerEntry)(testConfinement),
      residentMb: () => 9_000,
    });
    const supervisor = open({ memoryTickMs: 20 }, spawn);
    supervisor.limit({ threads: 1, dutyCycle: 1, confined: false, memoryMb: 8_000 });
    expect(await start(supervisor, talkative).outcome).toMatchObject({ error: { code: "out_of_memory" } });
  });
});

/** With this share of time, an answer of 30 ms takes a second. */
const slow = { threads: 1, dutyCycle: 0.03, confined: false, memoryMb: null };

/** Starts a slow answer, and returns after its first words. */
async function startWriting(supervisor: RunnerSupervisor, limits: RunnerLimits = slow): Promise<Started> {
  supervisor.limit(limits);
  const writing = Promise.withResolvers<undefined>();
  const started = start(supervisor, talkative, model, () => writing.resolve(undefined));
  await writing.promise;
  return started;
}

async function expectExit(supervisor: RunnerSupervisor, pid: number | undefined): Promise<void> {
  expect(pid).toBeDefined();
  await gone(pid);
  await until(() => supervisor.pid === undefined);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

/** A zombie has exited but is still listed. It uses no processor and no memory. */
function isRunning(pid: number | undefined): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
