import { assertNever } from "../../app/assert-never.ts";
import type { FromRunner, ModelFigures, ModelFile, RunnerJob } from "../../app/contract/runner.ts";
import type { JobError } from "../../app/jobs/chat.ts";
import type { Log } from "../log.ts";
import { happening } from "../with-resolvers.ts";
import { Attempt, type RunEvents, type RunOutcome } from "./attempt.ts";
import type { RunnerChild, RunnerExit, SpawnRunner } from "./child.ts";
import { readCpuTimes } from "./cpu-times.ts";
import { crashBackoffMs } from "./crash-backoff.ts";
import { Inspections } from "./inspections.ts";
import { jobErrors } from "./job-errors.ts";
import { parseFromRunner } from "./messages.ts";
import { tidyPriority } from "./priority.ts";
import { Processors } from "./processors.ts";
import { residentMb } from "./resident-memory.ts";
import type { SilenceLimits } from "./silence.ts";
import { SilenceWatch } from "./silence-watch.ts";

export type SupervisorTimes = {
  /** A yield that takes longer ends the process: a person waits for it. */
  readonly yieldMs: number;
  /** So does the abort of a job that runs alone: who cancels one wants it to stop within a second. */
  readonly abortAloneMs: number;
  /** The same for a job beside which others run: they would be lost, too. */
  readonly abortBesideOthersMs: number;
  /** Jobs, or a start, without any message for this long are stuck. */
  readonly silence: SilenceLimits;
  /** How often the memory of a process with jobs is looked at. */
  readonly memoryTickMs: number;
  /** Without a job for this long, the process and its memory go … */
  readonly idleMs: number;
  /** … and sooner where it holds no model: it had no job, but was asked about a file. */
  readonly emptyMs: number;
};

export const supervisorTimes: SupervisorTimes = {
  yieldMs: 100,
  abortAloneMs: 700,
  abortBesideOthersMs: 10_000,
  silence: { tickMs: 5_000, silenceMs: 60_000, blindSilenceMs: 5 * 60_000 },
  memoryTickMs: 500,
  idleMs: 5 * 60_000,
  emptyMs: 2_000,
};

export type RunnerLimits = {
  /** At most so many at once, whatever a job allows. */
  readonly threads: number;
  /** The share of the time that is worked, 0 to 1. */
  readonly dutyCycle: number;
  /** Whether it keeps to as many processors as it has threads. */
  readonly confined: boolean;
  /** A process that holds more is ended. Null: no limit. 2^20 bytes. */
  readonly memoryMb: number | null;
};

/** Why we end a process ourselves; null while an exit would be a crash. */
type Ending = "abort" | "yield" | "rest" | "silence" | "memory";

type Process = {
  readonly child: RunnerChild;
  readonly gone: Promise<undefined>;
  readonly wentAway: () => void;
  started: boolean;
  holdsModel: boolean;
  ending: Ending | null;
  readonly silence: SilenceWatch;
  readonly processors: Processors;
};

/**
 * Keeps the runner's process: starts it when there is work, ends it when it is stuck, too slow to abort, too large or
 * long idle, and starts it again after a crash. Several jobs at once, all in the one process.
 */
export class RunnerSupervisor {
  readonly #spawn: SpawnRunner;
  readonly #log: Log;
  readonly #times: SupervisorTimes;
  readonly #cpuTimes: typeof readCpuTimes;
  readonly #attempts = new Map<string, Attempt>();
  readonly #inspections = new Inspections();
  #process: Process | null = null;
  #limits: RunnerLimits | null = null;
  #crashes = 0;
  /** Of `performance.now()`. */
  #restingUntil = 0;
  #restTimer: NodeJS.Timeout | undefined;
  #memoryTimer: NodeJS.Timeout | undefined;

  constructor(spawn: SpawnRunner, log: Log, times = supervisorTimes, cpuTimes = readCpuTimes) {
    this.#spawn = spawn;
    this.#log = log;
    this.#times = times;
    this.#cpuTimes = cpuTimes;
  }

  /** The runner's process id, for measuring its load; undefined while there is none. */
  get pid(): number | undefined {
    return this.#process?.child.pid;
  }

  /** After crashes: milliseconds until the next job may be tried. 0: at any time. */
  get restMs(): number {
    return Math.max(0, this.#restingUntil - performance.now());
  }

  /** Resolves when no work on this job is on the CPU any more, however it ended. Never rejects. */
  run(job: RunnerJob, events: RunEvents): Promise<RunOutcome> {
    if (this.#attempts.has(job.attemptId)) throw new Error("the runner has this job already");
    const attempt = new Attempt(job, events);
    this.#attempts.set(job.attemptId, attempt);
    this.#followWork();
    this.#sendWork();
    return attempt.outcome;
  }

  /**
   * What the head of a model's file says of the memory that it takes. Null where it is nothing that llama.cpp can run,
   * or the process ended meanwhile: as it does on a file that is broken.
   */
  inspect(model: ModelFile): Promise<ModelFigures | null> {
    const figures = this.#inspections.ask(model);
    this.#followWork();
    this.#sendWork();
    return figures;
  }

  /** Stops one job: by asking, and then by killing. Resolves when it has stopped. */
  async abort(attemptId: string): Promise<void> {
    const attempt = this.#attempts.get(attemptId);
    if (attempt === undefined) return;
    if (attempt.sent) this.#ask(attempt);
    else {
      this.#settle(attempt, { kind: "aborted" });
      if (this.#attempts.size === 0 && this.#process?.started === false) this.#end("abort");
    }
    await attempt.outcome;
  }

  /** Holds for what runs and for what comes, from now on. */
  limit(limits: RunnerLimits): void {
    const before = this.#limits;
    this.#limits = limits;
    if (
      before?.threads === limits.threads &&
      before.dutyCycle === limits.dutyCycle &&
      before.confined === limits.confined
    )
      return;
    if (this.#process?.started === true) this.#sendLimits(this.#process, limits);
  }

  /**
   * Stops everything, at once. With `warmMs` the model stays in memory for so long, if it is there and if the process
   * stops when asked; else the process ends, and its memory and the GPU's is free with it. Resolves when that is so.
   */
  async yield({ warmMs }: { readonly warmMs: number }): Promise<void> {
    const attempts = [...this.#attempts.values()];
    const inspecting = this.#inspections.any;
    this.#inspections.giveUp();
    this.#followWork();
    for (const attempt of attempts) {
      if (!attempt.sent) this.#settle(attempt, { kind: "aborted" });
    }
    const running = this.#process;
    if (running === null) return;
    // What is being loaded is not there to be kept; and neither that nor reading a file's head can be stopped half-way.
    const loading = attempts.some(({ sent, loaded }) => sent && !loaded);
    if (warmMs === 0 || !running.holdsModel || loading || inspecting) {
      this.#end("yield");
      await running.gone;
      return;
    }
    const timer = setTimeout(() => this.#end("yield"), this.#times.yieldMs);
    for (const attempt of attempts) if (attempt.sent) this.#ask(attempt);
    await Promise.all(attempts.map(({ outcome }) => outcome));
    clearTimeout(timer);
    if (this.#attempts.size === 0) this.#restIn(warmMs);
  }

  /** Ends everything. The supervisor can be used again after. */
  async stop(): Promise<void> {
    await this.yield({ warmMs: 0 });
    clearTimeout(this.#restTimer);
    tidyPriority();
  }

  #ask(attempt: Attempt): void {
    if (attempt.aborting) return;
    attempt.aborting = true;
    const { attemptId } = attempt.job;
    this.#process?.child.send({ type: "abort", attemptId });
    const alone = this.#attempts.size === 1;
    const { abortAloneMs, abortBesideOthersMs } = this.#times;
    const timer = setTimeout(() => this.#end("abort"), alone ? abortAloneMs : abortBesideOthersMs);
    void attempt.outcome.then(() => clearTimeout(timer));
  }

  #start(): void {
    const child = this.#spawn();
    const { promise, resolve } = happening();
    const started: Process = {
      ...{ child, gone: promise, wentAway: resolve },
      ...{ started: false, holdsModel: false, ending: null },
      silence: new SilenceWatch(this.#times.silence, this.#cpuTimes),
      processors: new Processors(child.pid),
    };
    this.#process = started;
    const timer = setInterval(() => this.#lookForSilence(started), this.#times.silence.tickMs);
    child.onMessage((raw) => {
      if (this.#process === started) this.#receive(started, parseFromRunner(raw));
    });
    child.onExit((exit) => {
      clearInterval(timer);
      this.#exited(started, exit);
    });
    this.#log("debug", "runner.spawned", { pid: child.pid ?? null });
  }

  /** Sends what was not sent; it waits for a process that has started and stays. */
  #sendWork(): void {
    const running = this.#process;
    const waiting = [...this.#attempts.values()].filter(({ sent }) => !sent);
    if (waiting.length === 0 && !this.#inspections.anyToSend) return;
    if (running === null) {
      this.#start();
      return;
    }
    if (!running.started || running.ending !== null) return;
    for (const attempt of waiting) {
      attempt.sent = true;
      running.child.send({ type: "run", ...attempt.job });
    }
    this.#inspections.send((model) => running.child.send({ type: "inspect", model }));
  }

  #sendLimits(to: Process, { threads, dutyCycle, confined }: RunnerLimits): void {
    to.child.send({ type: "limit", threads, dutyCycle });
    to.processors.keepTo(confined ? threads : null);
  }

  #receive(from: Process, message: FromRunner | null): void {
    if (message === null) {
      this.#log("warn", "runner.bad-message");
      return;
    }
    from.silence.heard();
    switch (message.type) {
      case "started":
        from.started = true;
        if (this.#limits !== null) this.#sendLimits(from, this.#limits);
        this.#sendWork();
        return;
      case "loaded":
        from.holdsModel = true;
        this.#attempts.get(message.attemptId)?.wasLoaded(message);
        return;
      case "measured":
        this.#attempts.get(message.attemptId)?.wasMeasured(message);
        return;
      case "inspected":
        this.#inspections.answered(message.sha256, message.figures);
        this.#followWork();
        if (!this.#hasWork()) this.#restIn(from.holdsModel ? this.#times.idleMs : this.#times.emptyMs);
        return;
      case "text":
        this.#attempts.get(message.attemptId)?.said(message.text);
        return;
      case "done":
        this.#crashes = 0;
        this.#ended(message.attemptId, { kind: "done", result: message.result });
        return;
      case "failed":
        this.#ended(message.attemptId, { kind: "failed", error: message.error });
        return;
      case "aborted":
        this.#ended(message.attemptId, { kind: "aborted" });
        return;
      default:
        return assertNever(message);
    }
  }

  #ended(attemptId: string, outcome: RunOutcome): void {
    const attempt = this.#attempts.get(attemptId);
    if (attempt?.sent === true) this.#settle(attempt, outcome);
  }

  #settle(attempt: Attempt, outcome: RunOutcome): void {
    this.#attempts.delete(attempt.job.attemptId);
    this.#followWork();
    attempt.settle(outcome);
  }

  /** A process's memory is watched while it has something to do; without that it rests, and goes after a while. */
  #followWork(): void {
    if (!this.#hasWork()) {
      clearInterval(this.#memoryTimer);
      this.#memoryTimer = undefined;
      this.#restIn(this.#times.idleMs);
      return;
    }
    clearTimeout(this.#restTimer);
    if (this.#memoryTimer !== undefined) return;
    this.#process?.silence.heard();
    this.#memoryTimer = setInterval(() => this.#lookAtMemory(), this.#times.memoryTickMs);
  }

  #hasWork(): boolean {
    return this.#attempts.size > 0 || this.#inspections.any;
  }

  #lookForSilence(running: Process): void {
    if (this.#process !== running) return;
    // Between jobs it has nothing to say. A file's head is a job here: what is broken can be read for ever.
    if (running.started && !this.#hasWork()) running.silence.heard();
    if (!running.silence.look(running.child.pid)) return;
    this.#log("error", "runner.silent", { jobs: this.#attempts.size });
    this.#end("silence");
  }

  #lookAtMemory(): void {
    const limitMb = this.#limits?.memoryMb ?? null;
    const pid = this.pid;
    if (limitMb === null || pid === undefined) return;
    const heldMb = residentMb(pid);
    if (heldMb === null || heldMb <= limitMb) return;
    this.#log("warn", "runner.too-large", { heldMb: Math.round(heldMb), limitMb });
    this.#end("memory");
  }

  #restIn(ms: number): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => {
      if (!this.#hasWork()) this.#end("rest");
    }, ms);
    this.#restTimer.unref();
  }

  #end(why: Ending): void {
    const running = this.#process;
    if (running === null) return;
    running.ending ??= why;
    running.child.kill();
  }

  #exited(gone: Process, exit: RunnerExit): void {
    gone.wentAway();
    if (this.#process !== gone) return;
    this.#process = null;
    this.#inspections.processGone();
    this.#followWork();
    const { ending } = gone;
    const sent = [...this.#attempts.values()].filter((attempt) => attempt.sent);
    if (ending === "abort" || ending === "yield" || ending === "rest") {
      this.#log("info", "runner.ended", { why: ending });
      for (const attempt of sent) {
        // Those beside the one that had to be killed did not ask for it.
        const lost = ending === "abort" && !attempt.aborting;
        this.#settle(attempt, lost ? { kind: "failed", error: jobErrors.crashed } : { kind: "aborted" });
      }
      // What came in after the decision to end the old process gets a new one.
      this.#sendWork();
      return;
    }
    // Also those that it never heard of: nobody starts another one for them.
    this.#inspections.giveUp();
    this.#followWork();
    this.#crashes += 1;
    const pauseMs = crashBackoffMs(this.#crashes);
    this.#restingUntil = performance.now() + pauseMs;
    const { code, signal } = exit;
    this.#log("error", "runner.crashed", { code, signal, why: ending, crashes: this.#crashes, pauseMs });
    const error = errorOf(ending);
    for (const attempt of this.#attempts.values()) {
      this.#settle(attempt, attempt.aborting ? { kind: "aborted" } : { kind: "failed", error });
    }
  }
}

function errorOf(ending: "silence" | "memory" | null): JobError {
  if (ending === "silence") return jobErrors.silent;
  return ending === "memory" ? jobErrors.outOfMemory : jobErrors.crashed;
}
