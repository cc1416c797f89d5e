import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { LoadPlan, LoadReport, ModelFile } from "../../app/contract/runner.ts";
import type { Speed } from "../../app/contract/speed.ts";
import type { ChatRequest, ChatResult } from "../../app/jobs/chat.ts";
import { silentLog } from "../log.ts";
import { forkRunner } from "../supervisor/process/fork-runner.ts";
import { RunnerSupervisor } from "../supervisor/supervisor.ts";
import { chat, demoModel, planOf, runnerEntry, testConfinement } from "./runner.fixture.ts";

let model: ModelFile;
let folder: string;
let supervisor: RunnerSupervisor;

beforeAll(async () => {
  model = await demoModel();
  folder = await mkdtemp(join(tmpdir(), "gleaner-concurrent-jobs-"));
});
beforeEach(() => {
  supervisor = new RunnerSupervisor(() => forkRunner(runnerEntry)(testConfinement), silentLog);
});
afterEach(() => supervisor.stop());
afterAll(() => rm(folder, { recursive: true }));

/** The events of all jobs, in their order. */
let events: string[] = [];
beforeEach(() => (events = []));

type Running = {
  readonly outcome: ReturnType<RunnerSupervisor["run"]>;
  readonly reports: LoadReport[];
  readonly speeds: Speed[];
};

function start(
  name: string,
  request: ChatRequest,
  file = model,
  plan: Partial<LoadPlan> = {},
  cacheOwner?: string,
): Running {
  const reports: LoadReport[] = [];
  const speeds: Speed[] = [];
  const job = {
    attemptId: name,
    model: file,
    work: { kind: "chat", request },
    plan: planOf(file, plan),
    cacheOwner,
  } as const;
  let wrote = false;
  const outcome = supervisor.run(job, {
    loaded: (report) => reports.push(report),
    measured: (speed) => speeds.push(speed),
    text: () => {
      if (!wrote) events.push(`${name} writes`);
      wrote = true;
    },
  });
  void outcome.then(({ kind }) => events.push(`${name} ${kind}`));
  return { outcome, reports, speeds };
}

async function answer(running: Running): Promise<ChatResult> {
  const outcome = await running.outcome;
  if (outcome.kind !== "done" || !("text" in outcome.result)) throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

const norway = chat("What is the capital of Norway?");
const oslo = "The capital of Norway is Oslo.";
/** Writes up to its token limit, because its grammar never ends. */
const talkative = chat("Repeat: blue", {
  maxTokens: 300,
  format: { kind: "grammar", grammar: "root ::= [a-z ] root" },
});
const firstText = async (name: string): Promise<void> => {
  await expect.poll(() => events, { interval: 5 }).toContain(`${name} writes`);
};

it("runs several jobs at once, each as if there were no others", async () => {
  const long = start("long", talkative);
  await firstText("long");
  const short = [start("a", norway), start("b", norway)];
  expect((await Promise.all(short.map(answer))).map(({ text }) => text)).toEqual([oslo, oslo]);
  expect((await answer(long)).usage.completionTokens).toBe(300);
  expect(events.indexOf("a done")).toBeLessThan(events.indexOf("long done"));
  expect(long.reports[0]).toMatchObject({
    backend: "cpu",
    sequences: 2,
    contextTokens: 1_024,
    passedOver: [],
  });
  expect(short[0]?.reports).toMatchObject([{ loadMs: 0 }]);
});

it("aborts one job, and finishes the others", async () => {
  const [long, other] = [start("long", talkative), start("other", talkative)];
  const waiting = start("waiting", norway);
  await firstText("long");
  await firstText("other");
  await supervisor.abort("waiting");
  await supervisor.abort("long");
  expect(events).not.toContain("other done");
  expect(await long.outcome).toEqual({ kind: "aborted" });
  expect(await waiting.outcome).toEqual({ kind: "aborted" });
  expect((await answer(other)).usage.completionTokens).toBe(300);
});

it("starts a job of another model after those of the first model, in their order", async () => {
  const path = join(folder, "copy.gguf");
  await copyFile(model.path, path);
  const copy = { ...model, path, modelId: "copy" };
  const first = start("first", talkative);
  const second = start("second", norway, copy);
  const third = start("third", norway);
  expect((await answer(second)).text).toBe(oslo);
  expect((await answer(third)).text).toBe(oslo);
  expect((await answer(first)).usage.completionTokens).toBe(300);
  expect(events.filter((event) => event.endsWith("done"))).toEqual([
    "first done",
    "second done",
    "third done",
  ]);
  expect(third.reports[0]?.loadMs).toBeGreaterThan(0);
});

/** Two keys' shares of the cache. */
const [ours, theirs] = ["0", "1"].map((digit) => digit.repeat(32));

/** Asks a question below a long system prompt, in a context with a single sequence. */
async function askBelowRules(name: string, content: string, owner: string | undefined): Promise<ChatResult> {
  const system = { role: "system", content: "You are brief. ".repeat(40) } as const;
  const request = { ...norway, messages: [system, { role: "user", content }] } as const;
  return answer(start(name, request, model, { sequences: 1 }, owner));
}

it("reads a shared prefix only once, and answers as if it had read the whole prompt", async () => {
  const ask = (name: string, content: string): Promise<ChatResult> => askBelowRules(name, content, ours);
  const first = await ask("1", "What is the capital of Norway?");
  expect(first.usage.cachedPromptTokens).toBeUndefined();
  const second = await ask("2", "What is the capital of France?");
  const saved = second.usage.cachedPromptTokens ?? 0;
  expect(saved).toBeGreaterThan(0.8 * second.usage.promptTokens);
  expect(saved).toBeLessThan(second.usage.promptTokens);
  const again = await ask("3", "What is the capital of Norway?");
  expect(again.usage.cachedPromptTokens).toBeGreaterThan(0.8 * again.usage.promptTokens);
  expect(again.text).toBe(first.text);
});

it("shares no prompt with other keys, nor with jobs that have no key", async () => {
  const question = "What is the capital of Norway?";
  const cachedOf = async (name: string, owner: string | undefined): Promise<number> =>
    (await askBelowRules(name, question, owner)).usage.cachedPromptTokens ?? 0;
  expect(await cachedOf("1", ours)).toBe(0);
  expect(await cachedOf("2", ours)).toBeGreaterThan(0);
  expect(await cachedOf("3", theirs)).toBe(0);
  expect(await cachedOf("4", ours)).toBe(0);
  expect(await cachedOf("5", undefined)).toBe(0);
  expect(await cachedOf("6", undefined)).toBe(0);
  expect(await cachedOf("7", theirs)).toBe(0);
});

it("measures the speed of long jobs without others beside them", async () => {
  const request = {
    ...talkative,
    messages: [{ role: "user", content: "a longer word ".repeat(120) }],
  } as const;
  const alone = start("alone", request);
  await answer(alone);
  expect(alone.speeds).toHaveLength(1);
  expect(alone.speeds[0]?.prefill).toBeGreaterThan(0);
  expect(alone.speeds[0]?.generate).toBeGreaterThan(0);
  const short = start("short", chat("Hi", { maxTokens: 2 }));
  await answer(short);
  expect(short.speeds).toEqual([]);
});

it("measures the speed of a loaded model if the plan asks for it", async () => {
  const running = start("a", norway, model, { measure: true });
  expect((await answer(running)).text).toBe(oslo);
  expect(running.speeds).toHaveLength(1);
  expect(running.speeds[0]?.prefill).toBeGreaterThan(0);
  expect(running.speeds[0]?.generate).toBeGreaterThan(0);
});

it("loads no model during a pause, and aborts jobs that wait for it", async () => {
  const limits = { threads: 1, confined: false, memoryMb: null };
  supervisor.limit({ ...limits, dutyCycle: 0 });
  const [waiting, other] = [start("waiting", norway), start("other", norway)];
  // The process is ready, and has had time for a load.
  await supervisor.inspect(model);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await supervisor.abort("waiting");
  expect(await waiting.outcome).toEqual({ kind: "aborted" });
  expect([waiting.reports, other.reports]).toEqual([[], []]);
  supervisor.limit({ ...limits, dutyCycle: 1 });
  expect((await answer(other)).text).toBe(oslo);
  expect(other.reports).toHaveLength(1);
});

it("reports the time of a job without its rests", async () => {
  supervisor.limit({ threads: 1, confined: false, memoryMb: null, dutyCycle: 0.05 });
  const running = start("a", norway, model, { measure: true });
  await expect.poll(() => running.reports.length, { interval: 5 }).toBe(1);
  const loadedAt = performance.now();
  const { timing } = await answer(running);
  // The rests take nineteen times as long as the work.
  expect(4 * (timing.prefillMs + timing.generateMs)).toBeLessThan(performance.now() - loadedAt);
});

it("falls back to the CPU, and reports why", async () => {
  const running = start("a", norway, model, { backends: ["cuda", "vulkan", "cpu"] });
  expect((await answer(running)).text).toBe(oslo);
  const [report] = running.reports;
  const tried = [...(report?.passedOver ?? []).map(({ backend }) => backend), report?.backend];
  // On a machine with a GPU it stops at the first backend that works.
  expect(["cuda", "vulkan", "cpu"].slice(0, tried.length)).toEqual(tried);
  for (const { why } of report?.passedOver ?? []) expect(why).not.toBe("");
});
