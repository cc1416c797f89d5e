import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ModelFile } from "../../app/contract/runner.ts";
import type { ChatRequest } from "../../app/jobs/chat.ts";
import { silentLog } from "../log.ts";
import { happening } from "../with-resolvers.ts";
import type { RunnerChild } from "./child.ts";
import { forkRunner } from "./fork-runner.ts";
import { chat, demoModel, runnerEntry } from "./runner.fixture.ts";
import { RunnerSupervisor, type RunOutcome, supervisorTimes } from "./supervisor.ts";

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

function open(times: Partial<typeof supervisorTimes> = {}): RunnerSupervisor {
  const spawn = forkRunner(runnerEntry);
  const tracked = (): RunnerChild => {
    const child = spawn();
    spawned.push(child);
    return child;
  };
  const supervisor = new RunnerSupervisor(tracked, silentLog, { ...supervisorTimes, ...times });
  opened.push(supervisor);
  return supervisor;
}

async function gone(pid: number | undefined): Promise<void> {
  for (let i = 0; pid !== undefined && i < 100; i++) {
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

type Started = { readonly outcome: Promise<RunOutcome>; readonly texts: string[]; readonly loads: number[] };

function start(
  supervisor: RunnerSupervisor,
  request: ChatRequest,
  file: ModelFile = model,
  onText?: () => void,
): Started {
  const texts: string[] = [];
  const loads: number[] = [];
  const outcome = supervisor.run(
    { attemptId: `attempt-${++attempts}`, model: file, request, threads: 1 },
    {
      loaded: (loadMs) => loads.push(loadMs),
      text: (text) => {
        texts.push(text);
        onText?.();
      },
    },
  );
  return { outcome, texts, loads };
}

/** Keeps the model talking up to its token budget, whatever it was trained to say. */
const talkative = chat("Repeat: blue", { temperature: 2, maxTokens: 900, seed: 7 });

describe("the runner on the demo model", { timeout: 60_000 }, () => {
  it("answers, streams the same text, and reuses the loaded model", async () => {
    const supervisor = open();
    const first = start(supervisor, chat("What is 2 + 2?"));
    const outcome = await first.outcome;
    if (outcome.kind !== "done") throw new Error(JSON.stringify(outcome));
    expect(outcome.result.text).not.toBe("");
    expect(first.texts.join("")).toBe(outcome.result.text);
    expect(outcome.result.finishReason).toBe("stop");
    expect(outcome.result.usage.promptTokens).toBeGreaterThan(8);
    expect(outcome.result.usage.completionTokens).toBeGreaterThan(0);
    expect(first.loads[0]).toBeGreaterThan(0);

    const second = start(supervisor, chat("What is 2 + 2?"));
    expect(await second.outcome).toMatchObject({ kind: "done", result: { text: outcome.result.text } });
    expect(second.loads).toEqual([0]);
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
    const whole = await start(supervisor, chat("What is the capital of France?")).outcome;
    if (whole.kind !== "done") throw new Error(JSON.stringify(whole));
    const stop = whole.result.text.slice(4, 8);
    const cut = await start(supervisor, chat("What is the capital of France?", { stop: [stop] })).outcome;
    expect(cut).toMatchObject({
      kind: "done",
      result: { text: whole.result.text.slice(0, whole.result.text.indexOf(stop)), finishReason: "stop" },
    });
  });

  it("counts the tokens of roles and template too", async () => {
    const supervisor = open();
    const count = async (messages: ChatRequest["messages"]): Promise<number> => {
      const outcome = await start(supervisor, chat("", { messages, maxTokens: 1 })).outcome;
      if (outcome.kind !== "done") throw new Error(JSON.stringify(outcome));
      return outcome.result.usage.promptTokens;
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
    const writing = happening();
    const { outcome, texts } = start(supervisor, talkative, model, writing.resolve);
    await writing.promise;
    const askedAt = performance.now();
    await supervisor.abort();
    console.log(`abort while writing: ${(performance.now() - askedAt).toFixed(1)} ms`);
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
    const { outcome, texts } = start(supervisor, long);
    await sleep(10);
    const askedAt = performance.now();
    await supervisor.abort();
    console.log(`abort while reading: ${(performance.now() - askedAt).toFixed(1)} ms, ${texts.length} texts`);
    expect(await outcome).toEqual({ kind: "aborted" });
  });

  it("kills a process that does not stop in time, and works on with a new one", async () => {
    const supervisor = open();
    const writing = happening();
    const { outcome } = start(supervisor, talkative, model, writing.resolve);
    await writing.promise;
    const pid = supervisor.pid as number;
    // A stopped process answers nothing, as one in a long native call would.
    process.kill(pid, "SIGSTOP");
    const askedAt = performance.now();
    await supervisor.abort();
    const took = performance.now() - askedAt;
    console.log(`abort by kill: ${took.toFixed(1)} ms`);
    expect(took).toBeGreaterThanOrEqual(140);
    expect(await outcome).toEqual({ kind: "aborted" });
    expect(supervisor.restingUntil).toBeNull();
    expect(await start(supervisor, chat("Hi")).outcome).toMatchObject({ kind: "done" });
    expect(supervisor.pid).not.toBe(pid);
  });

  it("reports a crash, pauses, and works on with a new process", async () => {
    const supervisor = open();
    const writing = happening();
    const { outcome } = start(supervisor, talkative, model, writing.resolve);
    await writing.promise;
    process.kill(supervisor.pid as number, "SIGKILL");
    expect(await outcome).toMatchObject({
      kind: "failed",
      error: { code: "runner_crashed", retryable: true },
    });
    expect(supervisor.restingUntil).toBeGreaterThan(Date.now());
    expect(await start(supervisor, chat("Hi")).outcome).toMatchObject({ kind: "done" });
  });

  it("ends a run that says nothing for too long", async () => {
    const supervisor = open({ silenceTickMs: 100, silenceTicks: 40 });
    const writing = happening();
    const { outcome } = start(supervisor, talkative, model, writing.resolve);
    await writing.promise;
    process.kill(supervisor.pid as number, "SIGSTOP");
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

  it("frees the model when it yields, and loads it again", async () => {
    const supervisor = open();
    await start(supervisor, chat("Hi")).outcome;
    const pid = supervisor.pid;
    const askedAt = performance.now();
    await supervisor.yield();
    console.log(`yield with nothing to abort: ${(performance.now() - askedAt).toFixed(1)} ms`);
    const again = start(supervisor, chat("Hi"));
    expect(await again.outcome).toMatchObject({ kind: "done" });
    expect(supervisor.pid).toBe(pid);
    expect(again.loads[0]).toBeGreaterThan(0);
  });

  it("asks once to free the model, however often it yields, and answers every time", async () => {
    const supervisor = open({ unloadMs: 400 });
    await start(supervisor, chat("Hi")).outcome;
    const pid = supervisor.pid as number;
    // A large model is not freed at once.
    process.kill(pid, "SIGSTOP");
    const yields = [supervisor.yield(), supervisor.yield()];
    await sleep(100);
    process.kill(pid, "SIGCONT");
    await Promise.all(yields);
    await sleep(500);
    expect(supervisor.pid).toBe(pid);
  });

  it("runs a job that came between two yields once, and says its text once", async () => {
    const supervisor = open({ unloadMs: 400 });
    await start(supervisor, chat("Hi")).outcome;
    const pid = supervisor.pid as number;
    process.kill(pid, "SIGSTOP");
    const yields = [supervisor.yield(), supervisor.yield()];
    await sleep(20);
    // Long enough that a limit meant for the unload would end it in the middle.
    const writing = happening();
    const { outcome, texts } = start(supervisor, talkative, model, writing.resolve);
    process.kill(pid, "SIGCONT");
    await writing.promise;
    process.kill(pid, "SIGSTOP");
    await sleep(500);
    process.kill(pid, "SIGCONT");
    const ended = await outcome;
    if (ended.kind !== "done") throw new Error(JSON.stringify(ended));
    expect(texts.join("")).toBe(ended.result.text);
    expect(supervisor.pid).toBe(pid);
    await Promise.all(yields);
  });

  it("starts a job that came during an unload that never ends in a new process", async () => {
    const supervisor = open({ unloadMs: 200 });
    await start(supervisor, chat("Hi")).outcome;
    const pid = supervisor.pid as number;
    process.kill(pid, "SIGSTOP");
    const yielded = supervisor.yield();
    await sleep(20);
    const { outcome, texts } = start(supervisor, chat("Hi"));
    const ended = await outcome;
    if (ended.kind !== "done") throw new Error(JSON.stringify(ended));
    expect(texts.join("")).toBe(ended.result.text);
    expect(supervisor.pid).not.toBe(pid);
    await yielded;
  });

  it("takes a job back at once that waits for an unload, and keeps the process", async () => {
    const supervisor = open({ unloadMs: 1_000 });
    await start(supervisor, chat("Hi")).outcome;
    const pid = supervisor.pid as number;
    process.kill(pid, "SIGSTOP");
    const first = supervisor.yield();
    await sleep(20);
    const { outcome } = start(supervisor, chat("Hi"));
    const second = supervisor.yield();
    expect(await outcome).toEqual({ kind: "aborted" });
    await sleep(300);
    process.kill(pid, "SIGCONT");
    await Promise.all([first, second]);
    expect(supervisor.pid).toBe(pid);
  });

  it("never sends a job to a second process", async () => {
    const supervisor = open();
    await start(supervisor, chat("Hi")).outcome;
    // Sent between the decision to stop and the process's end.
    const stopped = supervisor.stop();
    const { outcome, texts } = start(supervisor, talkative);
    await stopped;
    expect(await outcome).toEqual({ kind: "aborted" });
    expect(texts).toEqual([]);
    expect(spawned).toHaveLength(1);
  });

  it("ends the process when it was idle for long", async () => {
    const supervisor = open({ idleMs: 50 });
    await start(supervisor, chat("Hi")).outcome;
    const pid = supervisor.pid;
    expect(pid).toBeDefined();
    await gone(pid);
    await sleep(50);
    expect(supervisor.pid).toBeUndefined();
    expect(supervisor.restingUntil).toBeNull();
  });

  it.runIf(process.platform === "linux")("gives every thread the lowest priority", async () => {
    const supervisor = open();
    await start(supervisor, chat("Hi")).outcome;
    const { readdir } = await import("node:fs/promises");
    const tasks = await readdir(`/proc/${supervisor.pid}/task`);
    const nices = await Promise.all(
      tasks.map(async (task) => {
        const stat = await readFile(`/proc/${supervisor.pid}/task/${task}/stat`, "utf8");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
      }),
    );
    expect(tasks.length).toBeGreaterThan(1);
    expect(new Set(nices)).toEqual(new Set([19]));
  });
});
