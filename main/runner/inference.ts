import { internalError } from "../../app/contract/job-errors.ts";
import type {
  ModelFigures,
  ModelFile,
  RequestStep,
  RunEvents,
  RunnerJob,
  RunOutcome,
} from "../../app/contract/runner.ts";
import type { StreamItem } from "../../app/jobs/stream-item.ts";
import { isOfVectors } from "../../app/trust/replay.ts";
import { embed, replayVectors } from "./embed.ts";
import { answer } from "./generate/answer.ts";
import { PrefillSlices } from "./generate/prefill.ts";
import { JobTurns, type Turn } from "./job-turns.ts";
import { inspectModel } from "./load/inspect-model.ts";
import { Libraries } from "./load/libraries.ts";
import type { LoadedModel } from "./load/load-model.ts";
import { loadKey, ModelSlot, type OnLoading } from "./load/model-slot.ts";
import { DutyCycle } from "./process/duty-cycle.ts";
import { replay } from "./replay/replay.ts";
import { measureSpeed, speedOf } from "./speed.ts";
import { tokenize } from "./tokenize.ts";

/** A job's reports: texts for its requester, and its present step. */
type InferenceEvents = Omit<RunEvents, "text"> & {
  readonly text: (text: string, items: readonly StreamItem[]) => void;
  readonly step?: (step: RequestStep | null) => void;
};

/** Runs jobs with llama.cpp: jobs of one model side by side in one context. Keeps the last model in memory. */
export class Inference {
  readonly #libraries = new Libraries();
  readonly #slot: ModelSlot;
  readonly #duty = new DutyCycle();
  readonly #turns = new JobTurns();
  #slices = new PrefillSlices();
  #model: LoadedModel | null = null;

  constructor(onLoading?: OnLoading) {
    this.#slot = new ModelSlot(this.#libraries, onLoading);
  }

  #isAlone(): boolean {
    return this.#turns.running === 1;
  }

  /**
   * Never throws. An abort ends a waiting job at once, and a running one within a slice of the prompt or a token of the
   * answer. A load goes on for the next job.
   */
  async run(job: RunnerJob, signal: AbortSignal, events: InferenceEvents): Promise<RunOutcome> {
    const turn = await this.#turns.wait(loadKey(job.model, job.plan), signal);
    if (turn === null) return { kind: "aborted" };
    try {
      return await this.#runInTurn(job, turn, signal, events);
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      return { kind: "failed", error: internalError("answering", error) };
    } finally {
      if (this.#isAlone()) this.#duty.idle();
      this.#turns.end(turn);
    }
  }

  limit({ threads, dutyCycle }: { readonly threads: number; readonly dutyCycle: number }): void {
    this.#libraries.setThreads(threads);
    this.#duty.share = dutyCycle;
  }

  /** The memory that a model takes. Null if llama.cpp cannot run the file. */
  inspect(model: ModelFile): Promise<ModelFigures | null> {
    return inspectModel(this.#libraries, model);
  }

  async #runInTurn(
    job: RunnerJob,
    { key }: Turn,
    signal: AbortSignal,
    events: InferenceEvents,
  ): Promise<RunOutcome> {
    const turns = this.#turns;
    if (turns.loaded?.key !== key) turns.loaded = null;
    const load = await this.#slot.load(job.model, job.plan, signal, (own) => this.#duty.startFor(own));
    if (load.kind !== "loaded") {
      turns.loaded = null;
      return load;
    }
    const { loaded, loadMs } = load;
    if (turns.loaded === null || this.#model !== loaded) {
      turns.loaded = { key, sequences: loaded.jobsAtOnce };
      this.#model = loaded;
      this.#slices = new PrefillSlices(loaded.batchTokens);
    }
    events.loaded({ ...loaded.report, loadMs });
    const jobPace = { signal, pace: this.#duty.paceFor(signal), clock: this.#duty.clock };
    const { backend } = loaded.report;
    const { step = () => undefined } = events;
    if (job.plan.measure === true && loadMs > 0) {
      const speed = await measureSpeed(loaded, jobPace);
      if (speed !== null) events.measured({ ...speed, backend });
      if (signal.aborted) return { kind: "aborted" };
    }
    // Now that the model is loaded, others of its jobs may start beside this one.
    turns.startWaiting();
    const { work } = job;
    if (work.kind === "tokens") return tokenize(loaded, work.request, { ...jobPace, step });
    if (work.kind === "embedding") return embed(loaded, work.request, { ...jobPace, step });
    if (work.kind === "replay") {
      const { cacheOwner } = job;
      if (isOfVectors(work.request)) return replayVectors(loaded, work.request, { ...jobPace, step });
      return replay(work.request, { ...jobPace, loaded, slices: this.#slices, cacheOwner, step });
    }
    const beganAlone = this.#isAlone();
    const outcome = await answer(work, {
      ...jobPace,
      loaded,
      slices: this.#slices,
      cacheOwner: job.cacheOwner,
      jobId: job.jobId ?? job.attemptId,
      emit: events.text,
      step,
    });
    if (outcome.kind === "done" && "text" in outcome.result && beganAlone && this.#isAlone()) {
      const speed = speedOf(outcome.result);
      if (speed !== null) events.measured({ ...speed, backend });
    }
    return outcome;
  }
}
