import { readFileSync } from "node:fs";
import {
  type FromRunner,
  type ModelLoad,
  parseFromRunner,
  type ToRunner,
} from "../../../app/contract/runner.ts";
import type { Log } from "../../log.ts";
import { CpuAffinity } from "./cpu-affinity.ts";
import { FloodMeter } from "./flood.ts";
import type { EndReason } from "./process-exit.ts";
import type { RunnerChild, RunnerExit } from "./runner-child.ts";
import { type ReadCpuTimes, Silence, type SilenceLimits } from "./silence.ts";

export type RunnerLimits = {
  /** The most threads at once, whatever a job allows. */
  readonly threads: number;
  /** The share of time to work, 0 to 1. */
  readonly dutyCycle: number;
  /** Whether to keep to as many processors as there are threads. */
  readonly confined: boolean;
  /** A process that holds more is ended. In MB of 2^20 bytes; null for no limit. */
  readonly memoryMb: number | null;
};

/** Ignores `memoryMb`, which the supervisor watches itself. */
export function sameForProcess(before: RunnerLimits | null, now: RunnerLimits): boolean {
  return (
    before?.threads === now.threads && before.dutyCycle === now.dutyCycle && before.confined === now.confined
  );
}

type SupervisedProcessDeps = {
  readonly child: RunnerChild;
  readonly silence: SilenceLimits;
  /** The same for a step that has to be short. During the choice of a token the process still sends signs of life. */
  readonly shortStep: SilenceLimits;
  readonly cpuTimes: ReadCpuTimes;
  readonly log: Log;
};

type ProcessListener = {
  /** Whether the process should send something. A process without work is silent, and well. */
  readonly hasWork: () => boolean;
  /** Whether a job is at a step that has to be short. */
  readonly isAtShortStep: () => boolean;
  /** Called after the process's own state is updated from the message. */
  readonly onMessage: (message: FromRunner) => void;
  /** The process has been silent for so long that it must be stuck. Called at every tick from then on. */
  readonly onSilent: () => void;
  /** The last call. */
  readonly onExit: (exit: RunnerExit) => void;
};

/** One run of the runner's process, from its spawn to its exit: its state, and why it is ended. */
export class SupervisedProcess {
  /** Resolves when the process has exited and its memory is free. */
  readonly gone: Promise<undefined>;
  readonly #child: RunnerChild;
  readonly #tickMs: number;
  readonly #silence: Silence;
  readonly #shortStep: Silence;
  readonly #affinity: CpuAffinity;
  readonly #log: Log;
  readonly #resolveGone: (value: undefined) => void;
  #started = false;
  #holdsModel = false;
  #loading: ModelLoad | null = null;
  readonly #flood = new FloodMeter();
  #badMessages = 0;
  #endReason: EndReason | null = null;
  #isGone = false;

  constructor({ child, silence, shortStep, cpuTimes, log }: SupervisedProcessDeps) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.gone = promise;
    this.#resolveGone = resolve;
    this.#child = child;
    this.#tickMs = silence.tickMs;
    this.#silence = new Silence(silence, cpuTimes);
    this.#shortStep = new Silence(shortStep, cpuTimes);
    this.#affinity = new CpuAffinity(() => child.pid);
    this.#log = log;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Its resident memory in MB (2^20 bytes); null if unknown. */
  get residentMb(): number | null {
    const { residentMb: ofChild, pid } = this.#child;
    return ofChild?.() ?? (pid === undefined ? null : readResidentMb(pid));
  }

  /** The process has reported that it is ready. */
  get started(): boolean {
    return this.#started;
  }

  /** The process has loaded a model, which may be worth keeping. */
  get holdsModel(): boolean {
    return this.#holdsModel;
  }

  /** The load that is under way. No job may wait for it anymore. */
  get loading(): ModelLoad | null {
    return this.#loading;
  }

  /** Why it was told to end, even if it has not exited yet. Null: an exit now would be a crash. */
  get endReason(): EndReason | null {
    return this.#endReason;
  }

  /** Starts to report to this listener. Call it once. */
  follow(listener: ProcessListener): void {
    const timer = setInterval(() => this.#checkSilence(listener), this.#tickMs);
    this.#child.onMessage((raw) => {
      if (!this.#isGone) this.#receive(parseFromRunner(raw), listener);
    });
    this.#child.onExit((exit) => {
      if (this.#isGone) return;
      this.#isGone = true;
      clearInterval(timer);
      if (this.#badMessages > 1) this.#log("warn", "runner.bad-messages", { count: this.#badMessages });
      this.#resolveGone(undefined);
      listener.onExit(exit);
    });
  }

  send(message: ToRunner): void {
    this.#child.send(message);
  }

  /** Limits the processor from now on. The supervisor watches the memory. */
  limit({ threads, dutyCycle, confined }: RunnerLimits): void {
    this.send({ type: "limit", threads, dutyCycle });
    this.#affinity.keepTo(confined ? threads : null);
  }

  /** The process has work from now on, so its silence begins to count. */
  workBegins(): void {
    this.#silence.reset();
  }

  /** Kills it. The first reason holds. */
  end(reason: EndReason): void {
    this.#endReason ??= reason;
    this.#child.kill();
  }

  #receive(message: FromRunner | null, { onMessage }: ProcessListener): void {
    if (this.#flood.count(message?.type === "text" ? message.text.length : 0, performance.now())) {
      this.end("flood");
    }
    if (message === null) {
      // Only the first is logged, so that a broken runner does not fill the log.
      if (this.#badMessages === 0) this.#log("warn", "runner.bad-message");
      this.#badMessages += 1;
      return;
    }
    this.#silence.reset();
    if (message.type === "step") this.#shortStep.reset();
    if (message.type === "started") this.#started = true;
    if (message.type === "loaded") this.#holdsModel = true;
    if (message.type === "loading") this.#loading = message.load;
    onMessage(message);
  }

  #checkSilence({ hasWork, isAtShortStep, onSilent }: ProcessListener): void {
    // Reading a file's head is work too: a broken file can be read forever.
    if (this.#started && !hasWork()) this.#silence.reset();
    if (!isAtShortStep()) this.#shortStep.reset();
    const isSilent = this.#silence.tick(this.pid);
    if (this.#shortStep.tick(this.pid) || isSilent) onSilent();
  }
}

/**
 * VmRSS of /proc/PID/status (proc(5)), in MB (2^20 bytes). It includes the pages of the mapped model, because these push
 * out other programs' files. Null on systems other than Linux, and once the process has ended.
 */
function readResidentMb(pid: number): number | null {
  if (process.platform !== "linux") return null;
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) / 1_024;
  } catch {
    return null;
  }
}
