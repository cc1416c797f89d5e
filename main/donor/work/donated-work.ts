import { type Abilities, type Handler, Worker, type WorkerClient } from "@gleaner/queue/worker";
import type { LoadReport, ModelFile } from "../../../app/contract/runner.ts";
import type { WorkView } from "../../../app/contract/snapshot.ts";
import type { MeasuredSpeed } from "../../../app/contract/speed.ts";
import type { Hardware } from "../../../app/energy/estimate.ts";
import type { Limits } from "../../../app/policy/declare/activity.ts";
import { sameLimits } from "../../../app/policy/limits.ts";
import { api } from "../../../convex/_generated/api.js";
import type { Log } from "../../log.ts";
import type { ModelCatalog } from "../../models/catalog.ts";
import { jobHandlers, type JobRunner } from "../../supervisor/jobs/job-handlers.ts";
import type { ModelPlans } from "../../supervisor/plan/model-plans.ts";
import type { RunnerLimits } from "../../supervisor/process/supervised-process.ts";
import type { OrganizationModel } from "../organization/organization.ts";
import { LoadTimes } from "./load-times.ts";
import { type LoadedModel, mustUnload } from "./loaded-model.ts";
import { ModelOffer } from "./model-offer.ts";
import { WarmUp } from "./warm-up.ts";

type DonatedWorkDeps = {
  readonly client: WorkerClient;
  readonly deviceKey: string;
  readonly runner: JobRunner & {
    limit(limits: RunnerLimits): void;
    yield(how: { readonly warmMs: number }): Promise<void>;
    stop(): Promise<void>;
    /** Undefined while no process runs. */
    readonly pid?: number | undefined;
  };
  readonly catalog: ModelCatalog;
  readonly threads: number;
  readonly plans: ModelPlans;
  readonly version: string;
  readonly log: Log;
  /** The organization's models. */
  readonly wanted: () => readonly OrganizationModel[];
  /** Called before a job uses this model. */
  readonly onUse?: (sha256: string) => void;
  readonly onWork: (view: WorkView | null) => void;
  /** The backend has accepted this connection. */
  readonly onGreeted: () => void;
  /** Wraps the handler of each job, for example to record it. */
  readonly around?: (handler: Handler) => Handler;
  /** The last use of a model by a job, in ms since the epoch; 0: never. */
  readonly usedAt?: (sha256: string) => number;
  /** Wraps the load of a model before the first job. */
  readonly aroundWarmUp?: (model: ModelFile, load: () => Promise<void>) => Promise<void>;
};

/** A worker of the organization's queue that runs jobs with the models on this device. */
export class DonatedWork {
  readonly #deps: DonatedWorkDeps;
  readonly #worker: Worker;
  readonly #offer: ModelOffer;
  readonly #warmUp: WarmUp;
  #member = false;
  #accepting = false;
  #finishing = false;
  #loaded: LoadedModel | null = null;
  /** The runner ended while it had no job, so that the next one has to load its model. */
  #hasRested = false;
  readonly #loadTimes = new LoadTimes();
  #limits: Limits | null = null;

  constructor(deps: DonatedWorkDeps) {
    this.#deps = deps;
    const { client, runner, catalog, plans, log, onWork, onGreeted, around = (each) => each } = deps;
    const { usedAt = () => 0, aroundWarmUp = async (_model, load) => await load() } = deps;
    const ofRuns = {
      runner,
      log,
      onBadModel: (sha256: string) => void catalog.recheck(sha256),
      onGpuRefused: (model: ModelFile) => {
        plans.gpuRefused(model);
        this.modelsChanged();
      },
      onLoaded: (model: ModelFile, report: LoadReport) => this.#noteLoad(model, report),
      onMeasured: (model: ModelFile, speed: MeasuredSpeed) => {
        plans.measured(model, speed);
        if (this.#offer.isSpeedNews(model)) this.#offerCapabilities();
      },
      onRest: (ms: number) => this.#worker.pauseTaking(ms),
    };
    const handlers = jobHandlers({
      ...ofRuns,
      onWork,
      findModel: (modelId) => {
        const found = this.usableModels.find((model) => model.modelId === modelId) ?? null;
        if (found === null) return null;
        this.#warmUp.jobBegins(found);
        deps.onUse?.(found.sha256);
        return found;
      },
      planFor: (model) => (plans.fits(model) ? plans.planFor(model) : null),
    });
    this.#warmUp = new WarmUp({
      ...ofRuns,
      plans,
      usable: () => this.usableModels,
      usedAt,
      around: aroundWarmUp,
    });
    this.#offer = new ModelOffer({
      plans,
      usable: () => this.usableModels,
      isAccepting: () => this.#accepting,
      setupMs: (model) => (this.#isInMemory(model) ? null : this.#loadTimes.expectedMs(model)),
      onChange: () => {
        this.#offerCapabilities();
        this.#warmUp.modelsChanged();
      },
    });
    this.#worker = new Worker(client, {
      key: deps.deviceKey,
      functions: api.work,
      handlers: Object.fromEntries(
        Object.entries(handlers).map(([kind, handler]) => [kind, around(handler)]),
      ),
      ...this.#offer.capacity(),
      capabilities: this.#abilities(),
      version: deps.version,
      accepting: false,
      log,
      onEvent: ({ kind }) => {
        if (kind === "greeted") onGreeted();
      },
    });
  }

  /** The organization's models that are on this device and verified, with the organization's current settings. */
  get usableModels(): readonly ModelFile[] {
    const { wanted, catalog } = this.#deps;
    return wanted().flatMap((model) => {
      const file = catalog.find(model);
      if (file === null) return [];
      return [{ ...file, contextTokens: model.contextTokens, template: model.template ?? undefined }];
    });
  }

  /** @param member whether this device belongs to the organization and is in service. */
  wantedChanged(member: boolean): void {
    this.modelsChanged();
    if (member && !this.#member) this.#worker.start();
    this.#member = member;
  }

  modelsChanged(): void {
    this.#deps.plans.refit(this.usableModels);
    this.#offerCapabilities();
    this.#warmUp.modelsChanged();
    if (this.#accepting) this.#offer.inspect();
  }

  /** The runner has ended for want of work. The queue then prefers devices that have the model of a job in memory. */
  runnerRested(): void {
    if (!this.#accepting || this.#hasRested) return;
    this.#hasRested = true;
    this.#offerCapabilities();
  }

  /** Each job reports its model, also one that was in memory. The queue learns only of another one. */
  #noteLoad(model: ModelFile, report: LoadReport): void {
    const wasInMemory = this.#isInMemory(model);
    this.#loaded = { model, report };
    this.#hasRested = false;
    if (report.loadMs > 0) this.#loadTimes.note(model, report.loadMs);
    if (!wasInMemory) this.#offerCapabilities();
  }

  /** The runner holds one model at a time. */
  #isInMemory({ sha256 }: ModelFile): boolean {
    return !this.#hasRested && this.#loaded?.model.sha256 === sha256;
  }

  /** Whether it takes jobs whose rules allow the GPU, also while other programs use it. */
  get wantsGpu(): boolean {
    const { gpu = false, gpuHeldBy } = this.#limits ?? {};
    return this.#accepting && (gpu || gpuHeldBy !== undefined);
  }

  /** The GPU's free memory has changed, or whether it may be used. */
  gpuChanged(): void {
    const { plans } = this.#deps;
    plans.gpuChanged(this.usableModels);
    this.modelsChanged();
    if (this.#accepting && this.#loaded !== null && mustUnload(this.#loaded, plans)) this.#reload();
  }

  /** The hardware that jobs use now, as their energy is estimated. */
  get hardware(): Hardware {
    const { threads: most, plans } = this.#deps;
    const { threads, dutyCycle = 1 } = this.#limits ?? {};
    const backend = this.#loaded?.report.backend ?? "cpu";
    const gpu = backend === "cpu" ? "none" : plans.vramMb === null ? "integrated" : "card";
    return { threads: Math.min(threads ?? most, most), busyShare: dutyCycle, gpu };
  }

  /** GPUs that the runner must not see, by the system's number. */
  get deniedGpus(): readonly number[] {
    return this.#limits?.deniedGpus ?? [];
  }

  accept(limits: Limits): void {
    this.#accepting = true;
    this.#finishing = false;
    // The first model loads before a job comes.
    this.#hasRested = false;
    this.#applyLimits(limits);
    this.#worker.accept();
  }

  /** Loads a model before the first job. Call it after `accept`, once it is known whether the GPU is free. */
  warmUp(): void {
    if (this.#accepting && !this.#finishing) this.#warmUp.begin();
  }

  /** Applies to new and running jobs. Jobs that cannot continue within the limits are released. */
  limit(limits: Limits): void {
    const { stillSince } = limits;
    const before = this.#limits;
    // Typing started or stopped: it takes effect at once and needs no new plan.
    const typing = before?.stillSince !== stillSince;
    if (before !== null && typing && sameLimits({ ...before, stillSince }, limits)) {
      this.#limits = limits;
      this.#limitRunner(limits);
    } else this.#applyLimits(limits);
  }

  #applyLimits(limits: Limits): void {
    const { plans } = this.#deps;
    const denied = this.deniedGpus.join() !== limits.deniedGpus.join();
    this.#limits = limits;
    plans.setLimits(limits, this.usableModels);
    this.modelsChanged();
    const narrower = denied || (this.#loaded !== null && mustUnload(this.#loaded, plans));
    if (narrower) this.#reload();
    this.#limitRunner(narrower ? { ...limits, memoryMb: null } : limits);
  }

  #limitRunner({ threads, dutyCycle, confined, memoryMb, stillSince }: Limits): void {
    const { runner, threads: most } = this.#deps;
    const isStill = stillSince !== null;
    this.#worker.holdNewJobs(isStill);
    const share = isStill ? 0 : dutyCycle;
    runner.limit({ threads: Math.min(threads ?? most, most), dutyCycle: share, confined, memoryMb });
  }

  /**
   * Unloads the model before the new memory limit applies. Otherwise the limit would kill the process, and
   * its jobs would count as failed.
   */
  #reload(): void {
    this.#loaded = null;
    const letGo = Promise.all([this.#deps.runner.yield({ warmMs: 0 }), this.#worker.pause("limits")]);
    void letGo.then(() => {
      if (!this.#accepting || this.#limits === null) return;
      this.#applyLimits(this.#limits);
      if (this.#finishing) void this.finish();
      else this.#worker.accept();
    });
  }

  /** Takes no more jobs. Resolves when the running jobs have ended. */
  finish(): Promise<void> {
    this.#finishing = true;
    this.#warmUp.cancel();
    return this.#worker.finish("finishing");
  }

  /**
   * Releases all jobs. Resolves when the runner is off the CPU and its memory is free, unless the model may
   * stay in memory for a while.
   * @param onStopped called before the queue has answered, if a process ran.
   */
  async yield(reason: string, modelWarmSeconds: number, onStopped?: () => void): Promise<void> {
    const { runner } = this.#deps;
    const isRunning = runner.pid !== undefined;
    this.#accepting = false;
    this.#warmUp.cancel();
    // Free the processor first. The calls to the queue can wait.
    const stopped = runner.yield({ warmMs: modelWarmSeconds * 1_000 });
    if (isRunning && onStopped !== undefined) void stopped.then(onStopped);
    await Promise.all([stopped, this.#worker.pause(reason)]);
    this.#liftTypingPause();
  }

  /** Lifts the typing pause: no job runs, and the user may ask for a benchmark. */
  #liftTypingPause(): void {
    if (this.#accepting || this.#limits === null || this.#limits.stillSince === null) return;
    this.limit({ ...this.#limits, stillSince: null });
  }

  /** Releases all jobs and says goodbye, within `withinMs`. */
  async stop(withinMs: number): Promise<void> {
    this.#accepting = false;
    this.#warmUp.cancel();
    this.#offer.stop();
    await this.#worker.stop({ finishMs: 0, leaveMs: withinMs });
    await this.#deps.runner.stop();
  }

  #offerCapabilities(): void {
    this.#worker.setCapabilities(this.#abilities(), this.#offer.capacity());
  }

  #abilities(): Abilities {
    return this.#offer.abilities(this.#limits?.gpu === true);
  }
}
