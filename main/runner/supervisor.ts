import { assertNever } from "../../app/assert-never.ts";
import type { FromRunner, ModelFile } from "../../app/contract/runner.ts";
import type { ChatRequest, ChatResult, JobError } from "../../app/jobs/chat.ts";
import type { Log } from "../log.ts";
import { happening, withResolvers } from "../with-resolvers.ts";
import type { RunnerChild, RunnerExit, SpawnRunner } from "./child.ts";
import { crashBackoffMs } from "./crash-backoff.ts";
import { jobErrors } from "./job-errors.ts";
import { parseFromRunner } from "./messages.ts";

export type RunnerJob = {
  readonly attemptId: string;
  readonly model: ModelFile;
  readonly request: ChatRequest;
  readonly threads: number;
};

export type RunEvents = {
  readonly loaded: (loadMs: number) => void;
  readonly text: (text: string) => void;
};

export type RunOutcome =
  | { readonly kind: "done"; readonly result: ChatResult }
  | { readonly kind: "failed"; readonly error: JobError }
  | { readonly kind: "aborted" };

export type SupervisorTimes = {
  /** An abort or an unload that takes longer ends the process. */
  readonly abortMs: number;
  readonly unloadMs: number;
  /** From the process's start to its first message. */
  readonly startMs: number;
  /** A run without any message for this long is stuck. Counted in ticks, so that a suspended machine's sleep is not. */
  readonly silenceTickMs: number;
  readonly silenceTicks: number;
  /** Without a job for this long, the process and its memory go. */
  readonly idleMs: number;
};

export const supervisorTimes: SupervisorTimes = {
  abortMs: 150,
  unloadMs: 1_000,
  startMs: 60_000,
  silenceTickMs: 5_000,
  silenceTicks: 12,
  idleMs: 5 * 60_000,
};

type Current = {
  readonly job: RunnerJob;
  readonly events: RunEvents;
  readonly settle: (outcome: RunOutcome) => void;
  readonly outcome: Promise<RunOutcome>;
  /** Sent to a process: once. Run a second time within its attempt, it would say its text twice. */
  sent: boolean;
  aborting: boolean;
  silentTicks: number;
};

type Process = {
  readonly child: RunnerChild;
  started: boolean;
  /** Why we ended it ourselves; null while an exit would be a crash. */
  ending: "abort" | "silence" | "rest" | null;
  /** Being asked to free its model: everybody who wants that waits for the same answer. */
  unloading: Unloading | null;
};

type Unloading = {
  readonly over: Promise<undefined>;
  readonly resolve: () => void;
  readonly timer: NodeJS.Timeout;
};

/**
 * Keeps the runner's process: starts it when there is work, ends it when it is stuck, too slow to abort
 * or long idle, and starts it again after a crash, later each time. One job at a time.
 */
export class RunnerSupervisor {
  readonly #spawn: SpawnRunner;
  readonly #log: Log;
  readonly #times: SupervisorTimes;
  #process: Process | null = null;
  #current: Current | null = null;
  #crashes = 0;
  #restingUntil: number | null = null;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(spawn: SpawnRunner, log: Log, times: SupervisorTimes = supervisorTimes) {
    this.#spawn = spawn;
    this.#log = log;
    this.#times = times;
  }

  /** The runner's process id, for measuring its load; undefined while there is none. */
  get pid(): number | undefined {
    return this.#process?.child.pid;
  }

  /** After crashes: when the next job may be tried (ms since the epoch). Null when at any time. */
  get restingUntil(): number | null {
    return this.#restingUntil !== null && this.#restingUntil > Date.now() ? this.#restingUntil : null;
  }

  /** Resolves when no work on this job is on the CPU any more, however it ended. Never rejects. */
  run(job: RunnerJob, events: RunEvents): Promise<RunOutcome> {
    if (this.#current !== null) throw new Error("the runner has a job already");
    clearTimeout(this.#idleTimer);
    const { promise, resolve } = withResolvers<RunOutcome>();
    const ticker = setInterval(() => this.#tick(), this.#times.silenceTickMs);
    this.#current = {
      job,
      events,
      settle: (outcome) => {
        clearInterval(ticker);
        this.#current = null;
        this.#armIdleTimer();
        resolve(outcome);
      },
      outcome: promise,
      sent: false,
      aborting: false,
      silentTicks: 0,
    };
    this.#sendRun();
    return promise;
  }

  /** Stops the job under way: by asking, and after 150 ms by killing. Resolves when it has stopped. */
  async abort(): Promise<void> {
    const current = this.#current;
    if (current === null) return;
    if (!current.sent) {
      if (this.#process?.started === false) this.#end("abort");
      current.settle({ kind: "aborted" });
      return;
    }
    if (!current.aborting) {
      current.aborting = true;
      this.#process?.child.send({ type: "abort", attemptId: current.job.attemptId });
      const timer = setTimeout(() => this.#end("abort"), this.#times.abortMs);
      void current.outcome.then(() => clearTimeout(timer));
    }
    await current.outcome;
  }

  /** Aborts, and frees the model's memory; the process stays for a quick return. */
  async yield(): Promise<void> {
    await this.abort();
    const running = this.#process;
    if (running === null || !running.started || this.#current !== null) return;
    running.unloading ??= this.#unload(running);
    await running.unloading.over;
  }

  /** Ends everything. The supervisor can be used again after. */
  async stop(): Promise<void> {
    await this.abort();
    clearTimeout(this.#idleTimer);
    this.#end("rest");
  }

  #unload(running: Process): Unloading {
    const { promise, resolve } = happening();
    running.child.send({ type: "unload" });
    const timer = setTimeout(() => this.#end("rest"), this.#times.unloadMs);
    return { over: promise, resolve, timer };
  }

  #unloaded(running: Process): void {
    const { unloading } = running;
    running.unloading = null;
    if (unloading === null) return;
    clearTimeout(unloading.timer);
    unloading.resolve();
  }

  #start(): void {
    const child = this.#spawn();
    const process: Process = { child, started: false, ending: null, unloading: null };
    this.#process = process;
    const timer = setTimeout(() => {
      if (!process.started) child.kill();
    }, this.#times.startMs);
    child.onMessage((raw) => {
      if (this.#process === process) this.#receive(process, parseFromRunner(raw));
    });
    child.onExit((exit) => {
      clearTimeout(timer);
      this.#exited(process, exit);
    });
    this.#log("debug", "runner.spawned", { pid: child.pid ?? null });
  }

  /** Sends the job, unless it was; it waits for a process that has started, stays, and has freed its last model. */
  #sendRun(): void {
    const current = this.#current;
    if (current === null || current.sent) return;
    const running = this.#process;
    if (running === null) {
      this.#start();
      return;
    }
    if (!running.started || running.ending !== null || running.unloading !== null) return;
    current.sent = true;
    running.child.send({ type: "run", ...current.job });
  }

  #receive(from: Process, message: FromRunner | null): void {
    if (message === null) {
      this.#log("warn", "runner.bad-message");
      return;
    }
    const current = this.#current;
    if (current !== null) current.silentTicks = 0;
    switch (message.type) {
      case "started":
        from.started = true;
        this.#sendRun();
        return;
      case "loaded":
        return current?.events.loaded(message.loadMs);
      case "unloaded":
        this.#unloaded(from);
        this.#sendRun();
        return;
      case "text":
        if (current?.job.attemptId === message.attemptId && message.text !== "" && !current.aborting) {
          current.events.text(message.text);
        }
        return;
      case "done":
        if (current?.job.attemptId !== message.attemptId) return;
        this.#crashes = 0;
        current.settle({ kind: "done", result: message.result });
        return;
      case "failed":
        if (current?.job.attemptId !== message.attemptId) return;
        current.settle({ kind: "failed", error: message.error });
        return;
      case "aborted":
        if (current?.job.attemptId !== message.attemptId) return;
        current.settle({ kind: "aborted" });
        return;
      default:
        return assertNever(message);
    }
  }

  #tick(): void {
    const current = this.#current;
    // Until it has started, the limit for starting holds.
    if (current === null || this.#process?.started !== true) return;
    current.silentTicks += 1;
    if (current.silentTicks < this.#times.silenceTicks) return;
    this.#log("error", "runner.silent", { attemptId: current.job.attemptId });
    this.#end("silence");
  }

  #end(why: NonNullable<Process["ending"]>): void {
    const running = this.#process;
    if (running === null) return;
    running.ending ??= why;
    running.child.kill();
  }

  #exited(process: Process, exit: RunnerExit): void {
    if (this.#process !== process) return;
    this.#process = null;
    this.#unloaded(process);
    const current = this.#current;
    if (process.ending === "abort" || process.ending === "rest") {
      this.#log("info", "runner.ended", { why: process.ending });
      if (current?.sent === true) current.settle({ kind: "aborted" });
      // A job that came in after the decision to end the old process gets a new one.
      else this.#sendRun();
      return;
    }
    this.#crashes += 1;
    this.#restingUntil = Date.now() + crashBackoffMs(this.#crashes);
    this.#log("error", "runner.crashed", {
      code: exit.code,
      signal: exit.signal,
      crashes: this.#crashes,
      pauseMs: crashBackoffMs(this.#crashes),
    });
    if (current === null) return;
    if (current.aborting) {
      current.settle({ kind: "aborted" });
      return;
    }
    current.settle({
      kind: "failed",
      error: process.ending === "silence" ? jobErrors.silent : jobErrors.crashed,
    });
  }

  #armIdleTimer(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (this.#current === null) this.#end("rest");
    }, this.#times.idleMs);
    this.#idleTimer.unref();
  }
}
