import { internalError } from "../../app/contract/job-errors.ts";
import type {
  Backend,
  LoadReport,
  ModelFigures,
  ModelFile,
  RunnerJob,
  Speed,
} from "../../app/contract/runner.ts";
import type { JobError } from "../../app/jobs/chat.ts";
import type { WorkResult } from "../../app/jobs/work.ts";
import { embed } from "./embed.ts";
import { answer } from "./generate/answer.ts";
import { PrefillSlices } from "./generate/prefill-slices.ts";
import { mayBegin } from "./job-turns.ts";
import { inspectModel } from "./load/inspect-model.ts";
import { Libraries } from "./load/libraries.ts";
import { type LoadedModel, loadKey, ModelSlot } from "./load/model-slot.ts";
import { measureSpeed } from "./measure-speed.ts";
import { DutyCycle } from "./process/duty-cycle.ts";
import { speedOf } from "./speed.ts";

export type InferenceEvents = {
  readonly loaded: (report: LoadReport) => void;
  readonly text: (text: string) => void;
  readonly measured: (speed: Speed & { readonly backend: Backend }) => void;
};

export type InferenceOutcome =
  | { readonly kind: "done"; readonly result: WorkResult }
  | { readonly kind: "failed"; readonly error: JobError }
  | { readonly kind: "aborted" };

type Waiting = {
  readonly key: string;
  readonly job: RunnerJob;
  readonly begin: () => void;
};

/** Does jobs with llama.cpp: those of one model side by side, in one context, and keeps the last model in memory. */
export class Inference {
  readonly #libraries = new Libraries();
  readonly #slot = new ModelSlot(this.#libraries);
  readonly #duty = new DutyCycle();
  #slices = new PrefillSlices();
  readonly #waiting: Waiting[] = [];
  readonly #running = new Set<Waiting>();
  #loaded: { readonly key: string; readonly sequences: number; readonly model: LoadedModel } | null = null;

  #isAlone(): boolean {
    return this.#running.size === 1;
  }

  /**
   * Never throws. After an abort it ends within a slice of the prompt, or a token of the answer; while it waits for its
   * turn, at once.
   */
  async run(job: RunnerJob, signal: AbortSignal, events: InferenceEvents): Promise<InferenceOutcome> {
    const turn = await this.#turn(job, signal);
    if (turn === null) return { kind: "aborted" };
    try {
      return await this.#do(job, turn, signal, events);
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      return { kind: "failed", error: internalError("answering", error) };
    } finally {
      this.#running.delete(turn);
      if (this.#running.size === 0) this.#duty.idle();
      this.#admit();
    }
  }

  limit({ threads, dutyCycle }: { readonly threads: number; readonly dutyCycle: number }): void {
    this.#libraries.setThreads(threads);
    this.#duty.share = dutyCycle;
  }

  inspect(model: ModelFile): Promise<ModelFigures | null> {
    return inspectModel(this.#libraries, model);
  }

  /** Null when it was aborted before its turn came. */
  #turn(job: RunnerJob, signal: AbortSignal): Promise<Waiting | null> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        key: loadKey(job.model, job.plan),
        job,
        begin: () => {
          signal.removeEventListener("abort", leave);
          resolve(waiting);
        },
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve(null);
        this.#admit();
      };
      if (signal.aborted) {
        resolve(null);
        return;
      }
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(waiting);
      this.#admit();
    });
  }

  #admit(): void {
    const count = mayBegin(this.#waiting, [...this.#running], this.#loaded);
    for (const next of this.#waiting.splice(0, count)) {
      this.#running.add(next);
      next.begin();
    }
  }

  async #do(
    job: RunnerJob,
    turn: Waiting,
    signal: AbortSignal,
    events: InferenceEvents,
  ): Promise<InferenceOutcome> {
    if (this.#loaded?.key !== turn.key) this.#loaded = null;
    const load = await this.#slot.load(job.model, job.plan, signal, this.#duty.startFor(signal));
    if (load.kind !== "loaded") {
      this.#loaded = null;
      return load;
    }
    const { loaded, loadMs } = load;
    if (this.#loaded?.model !== loaded) {
      this.#loaded = { key: turn.key, sequences: job.plan.sequences, model: loaded };
      this.#slices = new PrefillSlices(loaded.batchTokens);
    }
    events.loaded({ ...loaded.report, loadMs });
    const parts = { signal, pace: this.#duty.paceFor(signal), clock: this.#duty.clock };
    if (job.plan.measure === true && loadMs > 0) {
      const speed = await measureSpeed(loaded, parts);
      if (speed !== null) events.measured({ ...speed, backend: loaded.report.backend });
      if (signal.aborted) return { kind: "aborted" };
    }
    // The load said how many it holds: others of its model may begin beside this one.
    this.#admit();
    if (job.work.kind === "embedding") return embed(loaded, job.work.request, parts);
    const begunAlone = this.#isAlone();
    const outcome = await answer(job.work, {
      ...parts,
      ...{ llama: loaded.llama, loaded, slices: this.#slices, emit: events.text },
    });
    if (outcome.kind === "done" && begunAlone && this.#isAlone()) {
      const speed = speedOf(outcome.result);
      if (speed !== null) events.measured({ ...speed, backend: loaded.report.backend });
    }
    return outcome;
  }
}
