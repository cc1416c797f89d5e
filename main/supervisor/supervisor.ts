import type { FromRunner, ModelFigures, ModelFile, RunnerJob } from "../../app/contract/runner.ts";
import type { Log } from "../log.ts";
import { tidyPriority } from "../runner/process/priority.ts";
import { Attempt, type JobMessage, type RunEvents, type RunOutcome } from "./attempt.ts";
import { CrashBackoff } from "./crash-backoff.ts";
import { Inspections } from "./inspections.ts";
import { readCpuTimes } from "./process/cpu-times.ts";
import { type Ending, isOrderly, outcomeAtExit } from "./process/process-exit.ts";
import type { RunnerExit, SpawnRunner } from "./process/runner-child.ts";
import { type RunnerLimits, workTheSame } from "./process/runner-limits.ts";
import { SupervisedProcess } from "./process/supervised-process.ts";
import { type SupervisorTimes, supervisorTimes } from "./timeouts.ts";

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
  readonly #crashes = new CrashBackoff();
  #process: SupervisedProcess | null = null;
  #limits: RunnerLimits | null = null;
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
    return this.#process?.pid;
  }

  /** After crashes: milliseconds until the next job may be tried. 0: at any time. */
  get restMs(): number {
    return this.#crashes.restMs;
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
    const same = workTheSame(this.#limits, limits);
    this.#limits = limits;
    if (!same && this.#process?.started === true) this.#process.limit(limits);
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
    this.#process?.send({ type: "abort", attemptId });
    const alone = this.#attempts.size === 1;
    const { abortAloneMs, abortBesideOthersMs } = this.#times;
    const timer = setTimeout(() => this.#end("abort"), alone ? abortAloneMs : abortBesideOthersMs);
    void attempt.outcome.then(() => clearTimeout(timer));
  }

  #start(): void {
    const running = new SupervisedProcess({
      child: this.#spawn(),
      silence: this.#times.silence,
      cpuTimes: this.#cpuTimes,
      log: this.#log,
    });
    this.#process = running;
    running.follow({
      hasWork: () => this.#hasWork(),
      onMessage: (message) => this.#receive(running, message),
      onSilent: () => {
        this.#log("error", "runner.silent", { jobs: this.#attempts.size });
        this.#end("silence");
      },
      onExit: (exit) => this.#exited(running, exit),
    });
    this.#log("debug", "runner.spawned", { pid: running.pid ?? null });
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
      running.send({ type: "run", ...attempt.job });
    }
    this.#inspections.send((model) => running.send({ type: "inspect", model }));
  }

  #receive(from: SupervisedProcess, message: FromRunner): void {
    switch (message.type) {
      case "started":
        if (this.#limits !== null) from.limit(this.#limits);
        this.#sendWork();
        return;
      case "inspected":
        this.#inspections.answered(message.sha256, message.figures);
        this.#followWork();
        if (!this.#hasWork()) this.#restIn(from.holdsModel ? this.#times.idleMs : this.#times.emptyMs);
        return;
      default:
        this.#heardOfJob(message);
    }
  }

  #heardOfJob(message: JobMessage): void {
    if (message.type === "done") this.#crashes.succeeded();
    const attempt = this.#attempts.get(message.attemptId);
    const outcome = attempt?.heard(message) ?? null;
    if (attempt?.sent === true && outcome !== null) this.#settle(attempt, outcome);
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
    this.#process?.workBegins();
    this.#memoryTimer = setInterval(() => this.#lookAtMemory(), this.#times.memoryTickMs);
  }

  #hasWork(): boolean {
    return this.#attempts.size > 0 || this.#inspections.any;
  }

  #lookAtMemory(): void {
    const limitMb = this.#limits?.memoryMb ?? null;
    const heldMb = limitMb === null ? null : (this.#process?.heldMb ?? null);
    if (limitMb === null || heldMb === null || heldMb <= limitMb) return;
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
    this.#process?.end(why);
  }

  #exited({ ending }: SupervisedProcess, { code, signal }: RunnerExit): void {
    this.#process = null;
    this.#inspections.processGone();
    this.#followWork();
    if (isOrderly(ending)) {
      this.#log("info", "runner.ended", { why: ending });
      this.#settleAll(
        [...this.#attempts.values()].filter(({ sent }) => sent),
        ending,
      );
      // What came in after the decision to end the old process gets a new one.
      this.#sendWork();
      return;
    }
    // Also those that it never heard of: nobody starts another one for them.
    this.#inspections.giveUp();
    this.#followWork();
    const pauseMs = this.#crashes.crashed();
    const { crashes } = this.#crashes;
    this.#log("error", "runner.crashed", { code, signal, why: ending, crashes, pauseMs });
    this.#settleAll([...this.#attempts.values()], ending);
  }

  #settleAll(attempts: readonly Attempt[], ending: Ending | null): void {
    for (const attempt of attempts) this.#settle(attempt, outcomeAtExit(ending, attempt.aborting));
  }
}
