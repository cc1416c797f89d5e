import type { FromRunner, ToRunner } from "../../../app/contract/runner.ts";
import type { Log } from "../../log.ts";
import { happening } from "../../with-resolvers.ts";
import { parseFromRunner } from "../messages.ts";
import { Processors } from "./cpu-affinity.ts";
import type { ReadCpuTimes } from "./cpu-times.ts";
import type { Ending } from "./process-exit.ts";
import { residentMb } from "./resident-memory.ts";
import type { RunnerChild, RunnerExit } from "./runner-child.ts";
import type { RunnerLimits } from "./runner-limits.ts";
import type { SilenceLimits } from "./silence.ts";
import { SilenceWatch } from "./silence-watch.ts";

export type SupervisedProcessParts = {
  readonly child: RunnerChild;
  readonly silence: SilenceLimits;
  readonly cpuTimes: ReadCpuTimes;
  readonly log: Log;
};

export type ProcessListener = {
  /** Whether it has something to say: between jobs it is silent, and well. */
  readonly hasWork: () => boolean;
  /** Once what the message says of the process itself is known. */
  readonly onMessage: (message: FromRunner) => void;
  /** It has said nothing for so long that it must be stuck. Called at each look from then on. */
  readonly onSilent: () => void;
  /** The last call of all. */
  readonly onExit: (exit: RunnerExit) => void;
};

/** One life of the runner's process, from its spawn to its exit: how far it is, and why it is ended. */
export class SupervisedProcess {
  /** Resolves when it has ended, and its memory is free. */
  readonly gone: Promise<undefined>;
  readonly #child: RunnerChild;
  readonly #tickMs: number;
  readonly #silence: SilenceWatch;
  readonly #processors: Processors;
  readonly #log: Log;
  readonly #wentAway: () => void;
  #started = false;
  #holdsModel = false;
  #ending: Ending | null = null;
  #isGone = false;

  constructor({ child, silence, cpuTimes, log }: SupervisedProcessParts) {
    const { promise, resolve } = happening();
    this.gone = promise;
    this.#wentAway = resolve;
    this.#child = child;
    this.#tickMs = silence.tickMs;
    this.#silence = new SilenceWatch(silence, cpuTimes);
    this.#processors = new Processors(child.pid);
    this.#log = log;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** What it holds in memory now, in MB (2^20 bytes); null where nobody tells. */
  get heldMb(): number | null {
    const { residentMb: told, pid } = this.#child;
    return told?.() ?? (pid === undefined ? null : residentMb(pid));
  }

  /** It has said that it is there. */
  get started(): boolean {
    return this.#started;
  }

  /** It has loaded a model, which may be worth keeping. */
  get holdsModel(): boolean {
    return this.#holdsModel;
  }

  /** Why it was told to end, although it may not have ended yet; null while an exit would be a crash. */
  get ending(): Ending | null {
    return this.#ending;
  }

  /** Tells of everything from now on. Once only. */
  follow(listener: ProcessListener): void {
    const timer = setInterval(() => this.#lookForSilence(listener), this.#tickMs);
    this.#child.onMessage((raw) => {
      if (!this.#isGone) this.#receive(parseFromRunner(raw), listener);
    });
    this.#child.onExit((exit) => {
      if (this.#isGone) return;
      this.#isGone = true;
      clearInterval(timer);
      this.#wentAway();
      listener.onExit(exit);
    });
  }

  send(message: ToRunner): void {
    this.#child.send(message);
  }

  /** How much of the processor it may use from now on. Memory is its supervisor's to look at. */
  limit({ threads, dutyCycle, confined }: RunnerLimits): void {
    this.send({ type: "limit", threads, dutyCycle });
    this.#processors.keepTo(confined ? threads : null);
  }

  /** It has something to say from now on: its silence is counted anew. */
  workBegins(): void {
    this.#silence.heard();
  }

  /** Kills it. Of several reasons the first holds. */
  end(why: Ending): void {
    this.#ending ??= why;
    this.#child.kill();
  }

  #receive(message: FromRunner | null, { onMessage }: ProcessListener): void {
    if (message === null) {
      this.#log("warn", "runner.bad-message");
      return;
    }
    this.#silence.heard();
    if (message.type === "started") this.#started = true;
    if (message.type === "loaded") this.#holdsModel = true;
    onMessage(message);
  }

  #lookForSilence({ hasWork, onSilent }: ProcessListener): void {
    // A file's head is work here: what is broken can be read for ever.
    if (this.#started && !hasWork()) this.#silence.heard();
    if (this.#silence.look(this.pid)) onSilent();
  }
}
