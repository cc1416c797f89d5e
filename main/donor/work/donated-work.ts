import { totalmem } from "node:os";
import { type Abilities, BackOff, type Capacity, doubling, type Handler, Worker, type WorkerClient } from "@gleaner/queue/worker";
import type { ModelFile } from "../../../app/contract/runner.ts";
import type { WorkView } from "../../../app/contract/snapshot.ts";
import type { Limits } from "../../../app/policy/decision.ts";
import { sameLimits } from "../../../app/policy/limits.ts";
import { api } from "../../../convex/_generated/api.js";
import type { Log } from "../../log.ts";
import type { ModelCatalogue } from "../../models/catalogue.ts";
import { type JobRunner, jobHandlers } from "../../supervisor/jobs/job-handlers.ts";
import type { ModelPlans } from "../../supervisor/plan/model-plans.ts";
import type { RunnerLimits } from "../../supervisor/process/supervised-process.ts";
import type { OrganizationModel } from "../organization/organization.ts";
import { type HeldModel, mustLetGo } from "./loaded-model.ts";

export type DonatedWorkParts = {
  readonly client: WorkerClient;
  readonly deviceKey: string;
  readonly runner: JobRunner & {
    limit(limits: RunnerLimits): void;
    yield(how: { readonly warmMs: number }): Promise<void>;
    stop(): Promise<void>;
  };
  readonly catalogue: ModelCatalogue;
  readonly threads: number;
  readonly plans: ModelPlans;
  readonly version: string;
  readonly log: Log;
  /** The organization's models. */
  readonly wanted: () => readonly OrganizationModel[];
  /** A job is about to use this model. */
  readonly onUse?: (sha256: string) => void;
  readonly onWork: (view: WorkView | null) => void;
  /** The backend knows this connection. */
  readonly onGreeted: () => void;
  /** Puts something around the handler of each job: a record of it. */
  readonly around?: (handler: Handler) => Handler;
};

/** What a donor gives: a worker of the organization's queue that does its jobs with the models that are on this device. */
export class DonatedWork {
  readonly #parts: DonatedWorkParts;
  readonly #worker: Worker;
  readonly #lookAgain = new BackOff(doubling(5_000, 15 * 60_000));
  #member = false;
  #accepting = false;
  #finishing = false;
  #held: HeldModel | null = null;
  #limits: Limits | null = null;
  #learning: Promise<void> = Promise.resolve();

  constructor(parts: DonatedWorkParts) {
    this.#parts = parts;
    const { client, runner, catalogue, plans, log, onWork, onGreeted, around = (each) => each } = parts;
    const { chat, completion, embedding } = jobHandlers({
      ...{ runner, log, onWork },
      findModel: (modelId) => {
        const found = this.usableModels.find((model) => model.modelId === modelId) ?? null;
        if (found !== null) parts.onUse?.(found.sha256);
        return found;
      },
      onBadModel: (sha256) => void catalogue.recheck(sha256),
      planFor: (model) => (plans.fits(model) ? plans.planFor(model) : null),
      onLoaded: (model, report) => {
        this.#held = { model, report };
      },
      onMeasured: (model, speed) => plans.measured(model, speed),
      onCrash: (model) => plans.crashed(model),
      onRest: (ms) => this.#worker.rest(ms),
    });
    this.#worker = new Worker(client, {
      key: parts.deviceKey,
      functions: api.work,
      handlers: { chat: around(chat), completion: around(completion), embedding: around(embedding) },
      ...this.#capacity(),
      capabilities: this.#abilities(),
      version: parts.version,
      accepting: false,
      log,
      onEvent: ({ kind }) => {
        if (kind === "greeted") onGreeted();
      },
    });
  }

  /** The organization's models that are on this device and verified, to be used as the organization says now. */
  get usableModels(): readonly ModelFile[] {
    const { wanted, catalogue } = this.#parts;
    return wanted().flatMap((model) => {
      const file = catalogue.find(model);
      if (file === null) return [];
      return [{ ...file, contextTokens: model.contextTokens, template: model.template ?? undefined }];
    });
  }

  /** @param member whether the organization counts this device as its own, not retired. */
  wantedChanged(member: boolean): void {
    this.modelsChanged();
    if (member && !this.#member) this.#worker.start();
    this.#member = member;
  }

  modelsChanged(): void {
    this.#parts.plans.refit(this.usableModels);
    this.#offer();
    if (this.#accepting) this.#learn();
  }

  /** GPUs, by the system's number, that a process of the runner is not to see. */
  get deniedGpus(): readonly number[] {
    return this.#limits?.deniedGpus ?? [];
  }

  accept(limits: Limits): void {
    this.#accepting = true;
    this.#finishing = false;
    this.#keepTo(limits);
    this.#worker.accept();
  }

  /** Holds for what comes, and for what runs: what cannot go on within these limits is given back. */
  limit(limits: Limits): void {
    const { stillSince } = limits;
    const before = this.#limits;
    // Somebody types, or no longer does: at once, and nothing is planned anew for it.
    const typing = before?.stillSince !== stillSince;
    if (before !== null && typing && sameLimits({ ...before, stillSince }, limits)) {
      this.#limits = limits;
      this.#tellRunner(limits);
    } else this.#keepTo(limits);
  }

  #keepTo(limits: Limits): void {
    const { plans } = this.#parts;
    const denied = this.deniedGpus.join() !== limits.deniedGpus.join();
    this.#limits = limits;
    plans.setLimits(limits, this.usableModels);
    this.modelsChanged();
    const narrower = denied || (this.#held !== null && mustLetGo(this.#held, plans));
    if (narrower) this.#loadAgain();
    this.#tellRunner(narrower ? { ...limits, memoryMb: null } : limits);
  }

  #tellRunner({ threads, dutyCycle, confined, memoryMb, stillSince }: Limits): void {
    const { runner, threads: most } = this.#parts;
    const isStill = stillSince !== null;
    this.#worker.standStill(isStill);
    const share = isStill ? 0 : dutyCycle;
    runner.limit({ threads: Math.min(threads ?? most, most), dutyCycle: share, confined, memoryMb });
  }

  /** Before the new limit of memory holds: it would end the process under its jobs, as if they had failed. */
  #loadAgain(): void {
    this.#held = null;
    const letGo = Promise.all([this.#parts.runner.yield({ warmMs: 0 }), this.#worker.pause("limits")]);
    void letGo.then(() => {
      if (!this.#accepting || this.#limits === null) return;
      this.#keepTo(this.#limits);
      if (this.#finishing) void this.finish();
      else this.#worker.accept();
    });
  }

  /** Takes nothing more. Resolves when the job under way, if any, has ended. */
  finish(): Promise<void> {
    this.#finishing = true;
    return this.#worker.finish("finishing");
  }

  /**
   * Resolves when the runner is off the CPU, and its memory free unless the model is to stay there for a while; the jobs
   * are given back meanwhile.
   */
  async yield(reason: string, modelWarmSeconds: number): Promise<void> {
    this.#accepting = false;
    // First of all: whatever the worker does with the queue, the processor is the person's.
    const stopped = this.#parts.runner.yield({ warmMs: modelWarmSeconds * 1_000 });
    await Promise.all([stopped, this.#worker.pause(reason)]);
    this.#standStillNoMore();
  }

  /** Nothing of ours runs that could disturb; what its person asks of the runner would wait until jobs are taken again. */
  #standStillNoMore(): void {
    if (this.#accepting || this.#limits === null || this.#limits.stillSince === null) return;
    this.limit({ ...this.#limits, stillSince: null });
  }

  /** Gives everything back and says goodbye, as far as that can be done within `withinMs`. */
  async stop(withinMs: number): Promise<void> {
    this.#accepting = false;
    this.#lookAgain.taken();
    await this.#worker.stop({ finishMs: 0, leaveMs: withinMs });
    await this.#parts.runner.stop();
  }

  /** Models that nobody knows yet are offered once it is known that they fit. */
  #learn(): void {
    const { plans } = this.#parts;
    const goOn = (): boolean => this.#accepting;
    this.#learning = this.#learning.then(async () => {
      if (!goOn()) return;
      const changed = await plans.learn(this.usableModels, goOn);
      if (changed) this.#offer();
      // A process can end under a look by a mere accident, and what was too large may fit when others have ended: without
      // another look the model would never be offered.
      if (!goOn() || this.usableModels.every((model) => plans.fits(model))) this.#lookAgain.taken();
      else if (!this.#lookAgain.waiting) this.#lookAgain.refused(() => this.#learn());
    });
  }

  #offer(): void {
    this.#worker.setCapabilities(this.#abilities(), this.#capacity());
  }

  get #offered(): readonly ModelFile[] {
    return this.usableModels.filter((model) => this.#parts.plans.fits(model));
  }

  /** What more than fits into memory side by side would wait here, where nobody else can take it. */
  #capacity(): Capacity {
    const sequences = this.#offered.map((model) => this.#parts.plans.planFor(model).sequences);
    const concurrency = Math.max(1, ...sequences);
    // One that does several at once ends one often: whoever comes next waits little longer for what is held ahead.
    return { concurrency, prefetch: concurrency > 1 ? 1 : 0 };
  }

  #abilities(): Abilities {
    const { plans } = this.#parts;
    const offered = this.#offered;
    const contexts = offered.flatMap((model) => plans.contextTokens(model) ?? []);
    const backends = new Set(offered.flatMap(({ sha256 }) => plans.speed(sha256)?.backend ?? []));
    return {
      memoryMb: Math.floor(totalmem() / 2 ** 20),
      models: offered.map(({ modelId }) => modelId).sort(),
      ...(contexts.length === 0 ? {} : { contextTokens: Math.min(...contexts) }),
      ...(backends.size === 0
        ? {}
        : {
            gpu: this.#limits?.gpu === true && [...backends].some((backend) => backend !== "cpu"),
            tags: [...backends].sort().map((backend) => `backend:${backend}`),
          }),
    };
  }
}
