import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ModelFile } from "../../app/contract/runner.ts";
import type { ChatRequest } from "../../app/jobs/chat.ts";
import type { silentLog } from "../log.ts";
import { chat, demoModel, planOf, runnerEntry, testConfinement } from "../runner/runner.fixture.ts";
import type { AttemptOutcome } from "./attempt.ts";
import { forkRunner } from "./process/fork-runner.ts";
import { RunnerSupervisor } from "./supervisor.ts";
import { supervisorTimeouts } from "./timeouts.ts";

// The hooks wait for the exit of every process, and the machine may be busy.
vi.setConfig({ hookTimeout: 60_000 });

const scripted = fileURLToPath(new URL("./scripted-runner.fixture.ts", import.meta.url));
const quick = { tickMs: 50, silenceMs: 500, blindSilenceMs: 500 };
/** On a slow machine, a process that only starts takes seconds until its first message. */
const silence = { tickMs: 50, silenceMs: 5_000, blindSilenceMs: 20_000 };

let model: ModelFile;
let logged: string[];
const opened: RunnerSupervisor[] = [];

beforeAll(async () => {
  model = await demoModel();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((supervisor) => supervisor.stop()));
});

function open(times: Partial<typeof supervisorTimeouts> = {}, entry = scripted): RunnerSupervisor {
  logged = [];
  const log: typeof silentLog = (_level, event) => void logged.push(event);
  const timeouts = { ...supervisorTimeouts, silence, shortStep: quick, ...times };
  const supervisor = new RunnerSupervisor(() => forkRunner(entry)(testConfinement), log, { timeouts });
  opened.push(supervisor);
  return supervisor;
}

let attempts = 0;

type Started = { readonly attemptId: string; readonly outcome: Promise<AttemptOutcome> };

/** Starts a job, and returns when it has written something. @param jobId a new job unless given. */
async function startWriting(
  supervisor: RunnerSupervisor,
  request: ChatRequest,
  jobId?: string,
): Promise<Started> {
  const writing = Promise.withResolvers<undefined>();
  const started = start(supervisor, request, jobId, () => writing.resolve(undefined));
  await writing.promise;
  return started;
}

function start(
  supervisor: RunnerSupervisor,
  request: ChatRequest,
  jobId?: string,
  onText: () => void = () => undefined,
): Started {
  const attemptId = `attempt-${++attempts}`;
  const outcome = supervisor.run(
    { attemptId, model, work: { kind: "chat", request }, plan: planOf(model) },
    { loaded: () => undefined, measured: () => undefined, text: onText },
    jobId ?? attemptId,
  );
  return { attemptId, outcome };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const neighbor = chat("turn write");
const released = { kind: "released" };
const byRequest = (code: string): object => ({ kind: "failed", error: { code, retryable: true } });

describe("a request that ends the runner", () => {
  it.each([
    ["turn prompt spin", "request_timeout"],
    ["turn grammar spin", "request_timeout"],
    ["turn prefill crash", "request_crashed"],
    ["turn grammar crash", "request_crashed"],
    ["turn sample crash", "request_crashed"],
    // It still sends signs of life.
    ["turn sample", "request_timeout"],
    ["turn check", "request_timeout"],
  ])("fails alone, and its neighbors are released: %s", async (script, code) => {
    const supervisor = open();
    const neighbors = [await startWriting(supervisor, neighbor), await startWriting(supervisor, neighbor)];
    const culprit = start(supervisor, chat(script));
    expect(await culprit.outcome).toMatchObject(byRequest(code));
    for (const { outcome } of neighbors) expect(await outcome).toEqual(released);
  });

  it("does not make the device rest, and the next jobs run at once", async () => {
    const supervisor = open();
    for (let times = 0; times < 2; times += 1) {
      await start(supervisor, chat("turn grammar crash")).outcome;
      expect(supervisor.restMs).toBe(0);
    }
    expect(await start(supervisor, chat("turn write end")).outcome).toMatchObject({ kind: "done" });
  });

  it("is charged if it was the only one that ran", async () => {
    const supervisor = open();
    expect(await start(supervisor, chat("turn write crash")).outcome).toMatchObject(
      byRequest("request_crashed"),
    );
    expect(supervisor.restMs).toBeGreaterThan(0);
  });

  it("is found among several that ran together: each runs alone the next time", async () => {
    const supervisor = open();
    const innocent = await startWriting(supervisor, neighbor, "innocent");
    const guilty = start(supervisor, chat("turn write crash"), "guilty");
    expect(await innocent.outcome).toEqual(released);
    expect(await guilty.outcome).toEqual(released);

    const again = start(supervisor, chat("turn write crash"), "guilty");
    const beside = start(supervisor, chat("turn write end"), "innocent");
    expect(await again.outcome).toMatchObject(byRequest("request_crashed"));
    // It waited, so it was in no process. The device rests now.
    expect(await beside.outcome).toEqual(released);
    expect(await start(supervisor, chat("turn write end"), "innocent").outcome).toMatchObject({
      kind: "done",
    });
  });

  it("lets jobs wait while a suspect runs alone, and starts them after it", async () => {
    const supervisor = open();
    await startWriting(supervisor, neighbor, "suspect");
    await start(supervisor, chat("turn write crash"), "other").outcome;
    const alone = await startWriting(supervisor, neighbor, "suspect");
    const texts: string[] = [];
    const next = start(supervisor, chat("turn write end"), "next", () => texts.push("x"));
    await sleep(200);
    expect(texts).toEqual([]);
    await supervisor.abort(alone.attemptId);
    expect(await next.outcome).toMatchObject({ kind: "done" });
  });

  it("releases a neighbor only so often, so that no job goes around forever", async () => {
    const supervisor = open();
    const ends: AttemptOutcome[] = [];
    for (let times = 0; times < 3; times += 1) {
      const unlucky = await startWriting(supervisor, neighbor, "unlucky");
      await start(supervisor, chat("turn grammar crash")).outcome;
      ends.push(await unlucky.outcome);
    }
    expect(ends).toMatchObject([released, released, { kind: "failed", error: { code: "runner_crashed" } }]);
  });

  it("is not charged if something else killed the process", async () => {
    const supervisor = open();
    const several = [await startWriting(supervisor, neighbor), start(supervisor, chat("turn write kill"))];
    for (const { outcome } of several) expect(await outcome).toEqual(released);
    expect(await start(supervisor, chat("turn write kill")).outcome).toMatchObject({
      kind: "failed",
      error: { code: "runner_crashed" },
    });
  });

  it("is not charged for a crash during the load of its model, nor are the jobs that wait for it", async () => {
    const supervisor = open();
    const first = start(supervisor, chat("load"));
    const second = start(supervisor, chat("crash"));
    expect(await first.outcome).toMatchObject({ kind: "failed", error: { code: "runner_crashed" } });
    expect(await second.outcome).toEqual(released);
  });
});

describe("a job that is canceled while its model loads", () => {
  it("ends at once, and the load goes on for the jobs that wait for it", async () => {
    const supervisor = open({ abortAloneMs: 50, abortBesideOthersMs: 50 });
    await start(supervisor, chat("turn write end")).outcome;
    const canceled = start(supervisor, chat("load deaf"));
    const waiting = start(supervisor, chat("hello"));
    let ended = false;
    void waiting.outcome.then(() => (ended = true));
    await sleep(100);
    const { pid } = supervisor;
    await supervisor.abort(canceled.attemptId);
    expect(await canceled.outcome).toEqual({ kind: "aborted" });
    await sleep(300);
    expect([supervisor.pid, ended]).toEqual([pid, false]);
    expect(await start(supervisor, chat("turn write end")).outcome).toMatchObject({ kind: "done" });
  });

  it("leaves a process that a yield ends at once, even if the model may stay warm", async () => {
    const supervisor = open();
    // The process held a model before, which would be worth keeping.
    await start(supervisor, chat("turn write end")).outcome;
    const canceled = start(supervisor, chat("load"));
    await sleep(100);
    await supervisor.abort(canceled.attemptId);
    await sleep(100);
    const since = performance.now();
    await supervisor.yield({ warmMs: 60_000 });
    expect(supervisor.pid).toBeUndefined();
    expect(performance.now() - since).toBeLessThan(30_000);
  });

  it("is still ended if it does not stop after the load", async () => {
    const supervisor = open({ abortAloneMs: 50 });
    await start(supervisor, chat("turn write end")).outcome;
    const canceled = start(supervisor, chat("load deaf later"));
    await sleep(100);
    await supervisor.abort(canceled.attemptId);
    await vi.waitFor(() => expect(supervisor.pid).toBeUndefined(), { timeout: 60_000 });
    expect(supervisor.restMs).toBe(0);
  });
});

describe("a runner that breaks the protocol", () => {
  it("fails the job whose end cannot be read, logs bad messages once, and goes on", async () => {
    const supervisor = open();
    const neighbors = await startWriting(supervisor, neighbor);
    const { pid } = supervisor;
    expect(await start(supervisor, chat("turn nonsense")).outcome).toMatchObject({
      kind: "failed",
      error: { code: "internal_error" },
    });
    expect(supervisor.pid).toBe(pid);
    expect(logged.filter((event) => event === "runner.bad-message")).toHaveLength(1);
    await supervisor.abort(neighbors.attemptId);
  });

  it("is ended when it floods its parent", async () => {
    const supervisor = open();
    expect(await start(supervisor, chat("turn flood")).outcome).toMatchObject({ kind: "failed" });
    expect(supervisor.pid).toBeUndefined();
  });
});

describe("the runner on the demo model", () => {
  const letters = chat("aaaaaaaaaaaaaaaa", {
    maxTokens: 200,
    format: { kind: "grammar", grammar: explosive(40) },
  });

  /** Small, but after n letters it has 2^n readings. So the n-th choice takes 2^n steps, in a native call. */
  function explosive(levels: number): string {
    const rules = Array.from(
      { length: levels },
      (_, level) => `s${level} ::= "a" s${level + 1} "b" | "a" s${level + 1} "c"`,
    );
    return [`root ::= s0`, ...rules, `s${levels} ::= "x"`].join("\n");
  }

  it("ends a job whose grammar takes ever longer, and answers its neighbor", async () => {
    const supervisor = open(
      { silence: supervisorTimeouts.silence, shortStep: supervisorTimeouts.shortStep },
      runnerEntry,
    );
    const beside = await startWriting(
      supervisor,
      chat("Repeat: blue", { temperature: 2, maxTokens: 300, seed: 7 }),
    );
    const { pid } = supervisor;
    const culprit = start(supervisor, letters);
    expect(await culprit.outcome).toMatchObject(byRequest("request_timeout"));
    expect(await beside.outcome).toMatchObject({ kind: "done" });
    expect(supervisor.pid).toBe(pid);
  });
});
