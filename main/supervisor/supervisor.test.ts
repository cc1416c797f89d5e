import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { LoadPlan, LoadReport, ModelFile, RunOutcome } from "../../app/contract/runner.ts";
import type { ChatRequest, ChatResult } from "../../app/jobs/chat.ts";
import { silentLog } from "../log.ts";
import { happening } from "../with-resolvers.ts";
import type { RunnerChild, SpawnRunner } from "./process/runner-child.ts";
import { forkRunner } from "./process/fork-runner.ts";
import { chat, demoModel, runnerEntry } from "../runner/runner.fixture.ts";
import type { RunnerLimits } from "./process/supervised-process.ts";
import { type CpuTimes, type ReadCpuTimes, readCpuTimes } from "./process/silence.ts";
import { RunnerSupervisor } from "./supervisor.ts";
import { supervisorTimeouts } from "./timeouts.ts";

// The end of every process is waited for, on a machine that may be busy.
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
  spawn: SpawnRunner = forkRunner(runnerEntry),
  cpuTimes: ReadCpuTimes = readCpuTimes,
): RunnerSupervisor {
  const tracked = (): RunnerChild => {
    const child = spawn();
    spawned.push(child);
    return child;
  };
  const supervisor = new RunnerSupervisor(tracked, silentLog, { ...supervisorTimeouts, ...times }, cpuTimes);
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
  readonly outcome: Promise<RunOutcome>;
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
    ...{ threads: 1, contextTokens: file.contextTokens, sequences: 2 },
    ...{ backends: ["cpu"], gpuLayers: 0 },
  };
  const outcome = supervisor.run(
    { attemptId, model: file, work: { kind: "chat", request }, plan },
    {
      loaded: (report) => loads.push(report),
      measured: () => undefined,
      text: (text) => {
        texts.push(text);
        onText?.();
      },
    },
  );
  return { attemptId, outcome, texts, loads };
}

function answerOf(outcome: RunOutcome): ChatResult {
  if (outcome.kind !== "done" || !("text" in outcome.result)) throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

/** Keeps the model talking up to its token budget, whatever it was trained to say. */
const talkative = chat("Repeat: blue", { temperature: 2, maxTokens: 900, seed: 7 });

describe("the runner on the demo model", { timeout: 60_000 }, () => {
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

  it("cuts at a stop string", async () => {
    const supervisor = open();
    const whole = answerOf(await start(supervisor, chat("What is the capital of France?")).outcome);
    const stop = whole.text.slice(4, 8);
    const cut = await start(supervisor, chat("What is the capital of France?", { stop: [stop] })).outcome;
    expect(cut).toMatchObject({
      kind: "done",
      result: { text: whole.text.slice(0, whole.text.indexOf(stop)), finishReason: "stop" },
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

  it("aborts while it writes", async () => {
    const supervisor = open();
    const { attemptId, outcome, texts } = await talking(supervisor);
    await supervisor.abort(attemptId);
    expect(await outcome).toEqual({ kind: "aborted" });
    const seen = texts.length;
    await sleep(50);
    expect(texts.length).toBe(seen);
  });

  it("aborts while it reads a long prompt", async () => {
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

  it("takes one job back, and does the one beside it to its end", async () => {
    const supervisor = open();
    const [first, second] = await Promise.all([talking(supervisor), talking(supervisor)]);
    const { pid } = supervisor;
    await supervisor.abort(first.attemptId);
    expect(await first.outcome).toEqual({ kind: "aborted" });
    const { text, usage } = answerOf(await second.outcome);
    expect(second.texts.join("")).toBe(text);
    expect(usage.completionTokens).toBeGreaterThan(second.texts.length / 2);
    expect(supervisor.pid).toBe(pid);
  });

  it("keeps the model when its one job is cancelled, however short a yield may take", async () => {
    const supervisor = open({ yieldMs: 0, abortAloneMs: 60_000 });
    const { attemptId, outcome } = await talking(supervisor);
    const { pid } = supervisor;
    await supervisor.abort(attemptId);
    expect(await outcome).toEqual({ kind: "aborted" });
    const again = start(supervisor, chat("Hi"));
    expect(await again.outcome).toMatchObject({ kind: "done" });
    expect(again.loads.map(({ loadMs }) => loadMs)).toEqual([0]);
    expect(supervisor.pid).toBe(pid);
  });

  it("kills a process that does not stop in time, and works on with a new one", async () => {
    const supervisor = open({ abortAloneMs: 100 });
    const { attemptId, outcome } = await talking(supervisor);
    const pid = supervisor.pid as number;
    // A stopped process answers nothing, as one in a long native call would.
    process.kill(pid, "SIGSTOP");
    await supervisor.abort(attemptId);
    expect(await outcome).toEqual({ kind: "aborted" });
    expect(supervisor.restMs).toBe(0);
    expect(await start(supervisor, chat("Hi")).outcome).toMatchObject({ kind: "done" });
    expect(supervisor.pid).not.toBe(pid);
  });

  it("fails the job beside one for which the process had to be killed: it can be tried again", async () => {
    const supervisor = open({ abortBesideOthersMs: 100 });
    const [first, second] = await Promise.all([talking(supervisor), talking(supervisor)]);
    process.kill(supervisor.pid as number, "SIGSTOP");
    await supervisor.abort(first.attemptId);
    expect(await first.outcome).toEqual({ kind: "aborted" });
    expect(await second.outcome).toMatchObject({ kind: "failed", error: { retryable: true } });
    expect(supervisor.restMs).toBe(0);
  });

  it("reports a crash of all that ran, pauses, and works on with a new process", async () => {
    const supervisor = open();
    const both = await Promise.all([talking(supervisor), talking(supervisor)]);
    process.kill(supervisor.pid as number, "SIGKILL");
    for (const { outcome } of both) {
      expect(await outcome).toMatchObject({
        kind: "failed",
        error: { code: "runner_crashed", retryable: true },
      });
    }
    expect(supervisor.restMs).toBeGreaterThan(0);
    expect(await start(supervisor, chat("Hi")).outcome).toMatchObject({ kind: "done" });
  });

  it("ends a process that is in a loop, and says nothing", async () => {
    const looping = fileURLToPath(new URL("./spinning-runner.fixture.ts", import.meta.url));
    const silence = { tickMs: 50, silenceMs: 500, blindSilenceMs: 500 };
    const supervisor = open({ silence }, forkRunner(looping));
    const { outcome } = start(supervisor, chat("Hi"));
    expect(await outcome).toMatchObject({ kind: "failed", error: { code: "runner_timeout" } });
    expect(supervisor.pid).toBeUndefined();
  });

  it("ends a process that never comes to the end of a file's head", async () => {
    const looping = fileURLToPath(new URL("./spinning-runner.fixture.ts", import.meta.url));
    const silence = { tickMs: 50, silenceMs: 500, blindSilenceMs: 500 };
    const supervisor = open({ silence }, forkRunner(looping));
    expect(await supervisor.inspect(model)).toBeNull();
    expect(supervisor.pid).toBeUndefined();
  });

  it("waits for one that gets no processor, and ends it when it wants none", async () => {
    let looks = 0;
    let idleMs = 0;
    let busy = true;
    // Said in place of the system, since no test can keep all of a machine busy. The process is stopped for real.
    const cpuTimes = (): CpuTimes => {
      looks += 1;
      if (!busy) idleMs += 20;
      return { usedMs: 100, idleMs };
    };
    const silence = { tickMs: 20, silenceMs: 200, blindSilenceMs: 200 };
    const supervisor = open({ silence }, forkRunner(runnerEntry), cpuTimes);
    const { outcome } = await talking(supervisor);
    const pid = supervisor.pid as number;
    process.kill(pid, "SIGSTOP");
    const from = looks;
    await until(() => looks > from + 30);
    expect(supervisor.pid).toBe(pid);
    busy = false;
    expect(await outcome).toMatchObject({ kind: "failed", error: { code: "runner_timeout" } });
  });

  it("opens no file whose hash is not the expected one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gleaner-runner-"));
    const path = join(folder, "model.gguf");
    await copyFile(model.path, path);
    const bytes = await readFile(path);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await writeFile(path, bytes);
    const supervisor = open();
    const corrupt = { kind: "failed", error: { code: "model_corrupt", retryable: true } };
    expect(await start(supervisor, chat("Hi"), { ...model, path }).outcome).toMatchObject(corrupt);

    // A file that is changed after it was loaded is not used again either.
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

  it("reads the head of a model's file, and takes nothing from one that is none", async () => {
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

  it("keeps nobody waiting for a file's head when the process ends before it has started", async () => {
    const supervisor = open();
    const figures = supervisor.inspect(model);
    process.kill(supervisor.pid ?? 0, "SIGKILL");
    expect(await figures).toBeNull();
    expect(await supervisor.inspect(model)).not.toBeNull();
  });

  it("ends the process when it was idle for long", async () => {
    const supervisor = open({ idleMs: 50 });
    await start(supervisor, chat("Hi")).outcome;
    await leaves(supervisor, supervisor.pid);
    expect(supervisor.restMs).toBe(0);
  });
});

describe("a yield", { timeout: 60_000 }, () => {
  it("lets go of files' heads, too, and starts no process for them", async () => {
    const supervisor = open();
    const figures = supervisor.inspect(model);
    await supervisor.yield({ warmMs: 0 });
    expect(await figures).toBeNull();
    expect(supervisor.pid).toBeUndefined();
    expect(spawned).toHaveLength(1);
  });

  it("ends a process that reads a file's head, also where its model may stay", async () => {
    const supervisor = open();
    await start(supervisor, chat("Hi")).outcome;
    const figures = supervisor.inspect({ ...model, sha256: "0".repeat(64) });
    await supervisor.yield({ warmMs: 60_000 });
    expect(await figures).toBeNull();
    expect(supervisor.pid).toBeUndefined();
  });

  it("ends the process with all of its jobs, where nothing may stay in memory", async () => {
    const supervisor = open();
    const both = await Promise.all([talking(supervisor), talking(supervisor)]);
    const { pid } = supervisor;
    await supervisor.yield({ warmMs: 0 });
    // Nothing to wait for: the process has gone when it says so, and its memory with it.
    expect(isThere(pid)).toBe(false);
    for (const { outcome } of both) expect(await outcome).toEqual({ kind: "aborted" });
    expect(supervisor.restMs).toBe(0);
    const again = start(supervisor, chat("Hi"));
    expect(await again.outcome).toMatchObject({ kind: "done" });
    expect(again.loads[0]?.loadMs).toBeGreaterThan(0);
  });

  it("keeps the model for a while, and then ends the process", async () => {
    const supervisor = open({ yieldMs: 30_000 });
    const both = await Promise.all([talking(supervisor), talking(supervisor)]);
    const { pid } = supervisor;
    await supervisor.yield({ warmMs: 10_000 });
    for (const { outcome } of both) expect(await outcome).toEqual({ kind: "aborted" });
    const again = start(supervisor, chat("Hi"));
    expect(await again.outcome).toMatchObject({ kind: "done" });
    expect(again.loads.map(({ loadMs }) => loadMs)).toEqual([0]);
    expect(supervisor.pid).toBe(pid);

    await supervisor.yield({ warmMs: 50 });
    await leaves(supervisor, pid);
    expect(supervisor.restMs).toBe(0);
  });

  it("waits for no process that does not stop when it is asked, as the cancel of a job may", async () => {
    const supervisor = open({ abortAloneMs: 600_000, abortBesideOthersMs: 600_000 });
    const both = await Promise.all([talking(supervisor), talking(supervisor)]);
    const pid = supervisor.pid as number;
    process.kill(pid, "SIGSTOP");
    // One is being cancelled already: the yield does not wait for that either.
    void supervisor.abort(both[0].attemptId);
    await supervisor.yield({ warmMs: 60_000 });
    for (const { outcome } of both) expect(await outcome).toEqual({ kind: "aborted" });
    await leaves(supervisor, pid);
  });

  it("ends a process that is loading: there is nothing to keep yet", async () => {
    const supervisor = open();
    const { outcome, loads } = start(supervisor, talkative);
    await until(() => supervisor.pid !== undefined);
    const { pid } = supervisor;
    await supervisor.yield({ warmMs: 60_000 });
    expect(isThere(pid)).toBe(false);
    expect(await outcome).toEqual({ kind: "aborted" });
    expect(loads).toEqual([]);
  });

  it("sends a job that came meanwhile to a new process, once", async () => {
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

describe("the limits", { timeout: 60_000 }, () => {
  it.runIf(process.platform === "linux")("of memory: a process that holds more is ended", async () => {
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

  it("of memory: where whoever started the process tells what it holds, that is believed", async () => {
    const spawn: SpawnRunner = (env) => ({ ...forkRunner(runnerEntry)(env), residentMb: () => 9_000 });
    const supervisor = open({ memoryTickMs: 20 }, spawn);
    supervisor.limit({ threads: 1, dutyCycle: 1, confined: false, memoryMb: 8_000 });
    expect(await start(supervisor, talkative).outcome).toMatchObject({ error: { code: "out_of_memory" } });
  });
});

/** So little of the time that an answer of the demo model, of 30 ms, takes a second. */
const slow = { threads: 1, dutyCycle: 0.03, confined: false, memoryMb: null };

/** Starts an answer that takes a while, and returns once its first words have come. */
async function talking(supervisor: RunnerSupervisor, limits: RunnerLimits = slow): Promise<Started> {
  supervisor.limit(limits);
  const writing = happening();
  const started = start(supervisor, talkative, model, writing.resolve);
  await writing.promise;
  return started;
}

async function leaves(supervisor: RunnerSupervisor, pid: number | undefined): Promise<void> {
  expect(pid).toBeDefined();
  await gone(pid);
  await until(() => supervisor.pid === undefined);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

/** One that has ended and was not yet waited for is still listed, as a zombie: it runs and holds nothing. */
function isThere(pid: number | undefined): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
