import type { Confinement } from "../../app/contract/confinement.ts";
import type {
  FromRunner,
  ModelFigures,
  ModelFile,
  RequestStep,
  RunEvents,
  RunnerJob,
} from "../../app/contract/runner.ts";
import type { Log } from "../log.ts";
import { Attempt, type AttemptOutcome, type JobMessage } from "./attempt.ts";
import { CardEnergy } from "./card-energy.ts";
import { Inspections } from "./inspections.ts";
import { startable } from "./killed-jobs.ts";
import { removeIdleGroup } from "./process/idle-group.ts";
import type { EndReason } from "./process/process-exit.ts";
import type { RunnerExit, SpawnRunner } from "./process/runner-child.ts";
import { readCpuTimes } from "./process/silence.ts";
import { type RunnerLimits, sameForProcess, SupervisedProcess } from "./process/supervised-process.ts";
import { type OnBackend, RunnerFailures } from "./runner-failures.ts";
import { type SupervisorTimeouts, supervisorTimeouts } from "./timeouts.ts";
import { WorkTimers } from "./work-timers.ts";

/** The choice of a token, and the check of an answer, take a moment unless a grammar or a pattern is a bad one. */
function isShort(step: RequestStep | null): boolean {
  return step === "sample" || step === "check";
}

type SupervisorOptions = {
  /** A process has started, and tells how far it is confined. */
  readonly onConfined?: (confinement: Confinement) => void;
  readonly timeouts?: SupervisorTimeouts;
  readonly cpuTimes?: typeof readCpuTimes;
  readonly onBackend?: OnBackend;
  /** A process that held a model had no work for so long that it was ended. The next job has to load its model. */
  readonly onRested?: () => void;
};

/**
 * Keeps the runner's process. Starts it when there is work. Ends it when it is stuck, too slow to abort, too large, or
 * idle for long. Restarts it after a crash. One process runs all jobs.
 */
export class RunnerSupervisor {
  readonly #spawn: SpawnRunner;
  readonly #log: Log;
  readonly #timeouts: SupervisorTimeouts;
  readonly #cpuTimes: typeof readCpuTimes;
  readonly #attempts = new Map<string, Attempt>();
  readonly #inspections = new Inspections();
  readonly #cardEnergy = new CardEnergy();
  readonly #failures: RunnerFailures;
  readonly #timers: WorkTimers;
  readonly #onConfined: NonNullable<SupervisorOptions["onConfined"]>;
  readonly #onRested: NonNullable<SupervisorOptions["onRested"]>;
  #process: SupervisedProcess | null = null;
  #limits: RunnerLimits | null = null;

  constructor(spawn: SpawnRunner, log: Log, options: SupervisorOptions = {}) {
    this.#spawn = spawn;
    this.#log = log;
    this.#timeouts = options.timeouts ?? supervisorTimeouts;
    this.#cpuTimes = options.cpuTimes ?? readCpuTimes;
    this.#failures = new RunnerFailures(options.onBackend ?? (() => undefined), log);
    this.#onConfined = options.onConfined ?? (() => undefined);
    this.#onRested = options.onRested ?? (() => undefined);
    this.#timers = new WorkTimers({
      memoryTickMs: this.#timeouts.memoryTickMs,
      checkMemory: () => this.#checkMemory(),
      onRested: () => {
        if (!this.#hasWork()) this.#end("rest");
      },
    });
  }

  /** The id of the runner's process, for measuring its load. Undefined while no process runs. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Milliseconds until the next job may be tried; more than 0 only after a crash. */
  get restMs(): number {
    return this.#failures.restMs;
  }

  /**
   * Resolves when no work on this job uses the CPU anymore. A load of its model may continue for other jobs. Never rejects.
   * Throws if the attempt runs already.
   * @param jobId the job's id in the queue, the same in all its attempts.
   */
  run(job: RunnerJob, events: RunEvents, jobId = job.attemptId): Promise<AttemptOutcome> {
    if (this.#attempts.has(job.attemptId)) throw new Error("the runner has this job already");
    const attempt = new Attempt(job, jobId, this.#failures.isSuspect(jobId), events);
    this.#attempts.set(job.attemptId, attempt);
    this.#followWork();
    this.#sendWork();
    return attempt.outcome;
  }

  /**
   * The memory that a model takes, from the head of its file. Null if llama.cpp cannot run the file, or if the process
   * exited meanwhile, as it does on a broken file.
   */
  inspect(model: ModelFile): Promise<ModelFigures | null> {
    const figures = this.#inspections.request(model);
    this.#followWork();
    this.#sendWork();
    return figures;
  }

  /** The energy that the graphics cards have used; joules since some moment. Null without a process or a counter. */
  async cardJoules(): Promise<number | null> {
    const running = this.#process;
    if (running?.started !== true || running.endReason !== null) return null;
    return await this.#cardEnergy.ask(() => running.send({ type: "readEnergy" }));
  }

  /**
   * Stops one job. Kills the process if the job does not stop in time. Resolves when it has stopped: at once while its
   * model is loading. The load goes on for the next job.
   */
  async abort(attemptId: string): Promise<void> {
    const attempt = this.#attempts.get(attemptId);
    if (attempt === undefined) return;
    if (attempt.sent) this.#sendAbort(attempt);
    else {
      // A process that still starts goes on. Otherwise jobs that are soon canceled could prevent every start.
      this.#settle(attempt, { kind: "aborted" });
      this.#sendWork();
    }
    await attempt.outcome;
  }

  /** Holds for current and later jobs. */
  limit(limits: RunnerLimits): void {
    const same = sameForProcess(this.#limits, limits);
    this.#limits = limits;
    if (!same && this.#process?.started === true) this.#process.limit(limits);
  }

  /**
   * Stops all jobs at once. With `warmMs` the model stays in memory for that time, if it is loaded and the jobs stop in
   * time. Otherwise the process is killed, which frees its memory, the GPU's too. Resolves when that is done.
   */
  async yield({ warmMs }: { readonly warmMs: number }): Promise<void> {
    const attempts = [...this.#attempts.values()];
    const inspecting = this.#inspections.any;
    this.#inspections.dropAll();
    this.#followWork();
    for (const attempt of attempts) {
      if (!attempt.sent) this.#settle(attempt, { kind: "aborted" });
    }
    const running = this.#process;
    if (running === null) return;
    // A model that still loads is not worth keeping. Neither a load nor the reading of a file's head can be aborted.
    const loading = running.loading !== null || attempts.some(({ sent, loaded }) => sent && !loaded);
    if (warmMs === 0 || !running.holdsModel || loading || inspecting) {
      this.#end("yield");
      await running.gone;
      return;
    }
    const timer = setTimeout(() => this.#end("yield"), this.#timeouts.yieldMs);
    for (const attempt of attempts) if (attempt.sent) this.#sendAbort(attempt);
    await Promise.all(attempts.map(({ outcome }) => outcome));
    clearTimeout(timer);
    if (this.#attempts.size === 0) this.#timers.restIn(warmMs);
  }

  /** Ends the process and all jobs. The supervisor can be used again afterward. */
  async stop(): Promise<void> {
    await this.yield({ warmMs: 0 });
    this.#timers.cancelRest();
    removeIdleGroup();
  }

  #sendAbort(attempt: Attempt): void {
    if (attempt.aborting) return;
    attempt.aborting = true;
    const { attemptId } = attempt.job;
    this.#process?.send({ type: "abort", attemptId });
    // It uses nothing yet. The runner drops it when its turn comes.
    if (attempt.loaded) this.#expectEnd(attempt);
    else attempt.settle({ kind: "aborted" });
  }

  #expectEnd(attempt: Attempt): void {
    const alone = this.#attempts.size === 1;
    const { abortAloneMs, abortBesideOthersMs } = this.#timeouts;
    const timer = setTimeout(() => this.#end("abort"), alone ? abortAloneMs : abortBesideOthersMs);
    void attempt.ended.then(() => clearTimeout(timer));
  }

  #start(): void {
    const running = new SupervisedProcess({
      child: this.#spawn(),
      silence: this.#timeouts.silence,
      shortStep: this.#timeouts.shortStep,
      cpuTimes: this.#cpuTimes,
      log: this.#log,
    });
    this.#process = running;
    running.follow({
      hasWork: () => this.#hasWork(),
      isAtShortStep: () => [...this.#attempts.values()].some(({ step }) => isShort(step)),
      onMessage: (message) => this.#receive(running, message),
      onSilent: () => {
        this.#log("error", "runner.silent", { jobs: this.#attempts.size });
        this.#end("silence");
      },
      onExit: (exit) => this.#exited(running, exit),
    });
    this.#log("debug", "runner.spawned", { pid: running.pid ?? null });
  }

  /** Sends jobs and inspections to the process. Starts one if none runs; waits while one starts or ends. */
  #sendWork(): void {
    const running = this.#process;
    const waiting = [...this.#attempts.values()].filter(({ sent }) => !sent);
    if (waiting.length === 0 && !this.#inspections.anyToSend) return;
    if (running === null) {
      this.#start();
      return;
    }
    if (!running.started || running.endReason !== null) return;
    const sent = [...this.#attempts.values()].filter((attempt) => attempt.sent);
    for (const attempt of startable(waiting, sent)) {
      attempt.sent = true;
      running.send({ type: "run", job: attempt.job });
    }
    this.#inspections.send((model) => running.send({ type: "inspect", model }));
  }

  #receive(from: SupervisedProcess, message: FromRunner): void {
    switch (message.type) {
      case "started":
        this.#onConfined(message.confinement);
        if (this.#limits !== null) from.limit(this.#limits);
        this.#sendWork();
        return;
      case "inspected":
        this.#inspections.settle(message.sha256, message.figures);
        this.#followWork();
        if (!this.#hasWork())
          this.#timers.restIn(from.holdsModel ? this.#timeouts.idleMs : this.#timeouts.emptyMs);
        return;
      case "loading":
        this.#followWork();
        return;
      case "energy":
        this.#cardEnergy.answer(message.joules);
        return;
      default:
        this.#receiveOfJob(message);
    }
  }

  #receiveOfJob(message: JobMessage): void {
    const attempt = this.#attempts.get(message.attemptId);
    if (attempt?.sent !== true) return;
    const outcome = attempt.receive(message);
    // It was aborted during the load, and its turn has come nevertheless.
    if (message.type === "loaded" && attempt.aborting) this.#expectEnd(attempt);
    if (outcome === null) return;
    if (outcome.kind === "done") this.#failures.succeeded(attempt);
    this.#settle(attempt, outcome);
    this.#sendWork();
  }

  #settle(attempt: Attempt, outcome: AttemptOutcome): void {
    this.#attempts.delete(attempt.job.attemptId);
    this.#followWork();
    attempt.end(outcome);
  }

  /** Call this when work may have come or gone. Watches the memory during work, and ends an idle process later. */
  #followWork(): void {
    if (!this.#hasWork()) this.#timers.rest(this.#timeouts.idleMs);
    else if (this.#timers.work()) this.#process?.workBegins();
  }

  #hasWork(): boolean {
    return this.#attempts.size > 0 || this.#inspections.any || (this.#process?.loading ?? null) !== null;
  }

  #checkMemory(): void {
    const limitMb = this.#limits?.memoryMb ?? null;
    const heldMb = limitMb === null ? null : (this.#process?.residentMb ?? null);
    if (limitMb === null || heldMb === null || heldMb <= limitMb) return;
    this.#log("warn", "runner.too-large", { heldMb: Math.round(heldMb), limitMb });
    this.#end("memory");
  }

  #end(reason: EndReason): void {
    this.#process?.end(reason);
  }

  #exited({ endReason, loading, holdsModel }: SupervisedProcess, exit: RunnerExit): void {
    this.#process = null;
    this.#inspections.dropSent();
    this.#cardEnergy.answer(null);
    const attempts = [...this.#attempts.values()];
    const { pauseMs, outcomes } = this.#failures.ended({ endReason, loading, exit, attempts });
    // During a pause no new process is started for what was not sent.
    if (pauseMs > 0) this.#inspections.dropAll();
    for (const [attempt, outcome] of outcomes) this.#settle(attempt, outcome);
    this.#followWork();
    this.#sendWork();
    if (endReason === "rest" && holdsModel) this.#onRested();
  }
}
