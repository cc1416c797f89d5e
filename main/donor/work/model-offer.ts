import { totalmem } from "node:os";
import { type Abilities, BackOff, type Capacity, doubling } from "@gleaner/queue/worker";
import type { ModelFile } from "../../../app/contract/runner.ts";
import { isNews, type Speed, speedStep } from "../../../app/contract/speed.ts";
import { grammarTag } from "../../../app/grammar-version.ts";
import type { ModelPlans } from "../../supervisor/plan/model-plans.ts";

type ModelOfferDeps = {
  readonly plans: Pick<
    ModelPlans,
    "contextTokens" | "fits" | "learn" | "needsGpu" | "planFor" | "speed" | "vramMb"
  >;
  /** The organization's models that are on this device. */
  readonly usable: () => readonly ModelFile[];
  readonly isAccepting: () => boolean;
  /** The time in ms that the model has to load before its next job. Null: none, or it is unknown. */
  readonly setupMs: (model: ModelFile) => number | null;
  /** Called when an inspection changed what this device can offer. */
  readonly onChange: () => void;
};

/** Tokens per second of each job. An answer of 300 tokens takes ten seconds. */
const fastPerSecond = 30;

/** The models that this device offers to the queue: those that are known to fit into memory. */
export class ModelOffer {
  readonly #deps: ModelOfferDeps;
  readonly #retry = new BackOff(doubling(5_000, 15 * 60_000));
  #inspecting: Promise<void> = Promise.resolve();
  /** The measured speeds that the last abilities tell, by the model's hash. */
  readonly #toldSpeeds = new Map<string, Speed>();

  constructor(deps: ModelOfferDeps) {
    this.#deps = deps;
  }

  /** Inspects new models. A model is offered once it is known to fit into memory. */
  inspect(): void {
    const { plans, usable, isAccepting, onChange } = this.#deps;
    this.#inspecting = this.#inspecting.then(async () => {
      if (!isAccepting()) return;
      const changed = await plans.learn(usable(), isAccepting);
      if (changed) onChange();
      // An inspection can crash by accident, and memory can become free. Without another try the model would
      // never be offered.
      if (!isAccepting() || usable().every((model) => plans.fits(model))) this.#retry.reset();
      else if (!this.#retry.isPending) this.#retry.scheduleRetry(() => this.inspect());
    });
  }

  stop(): void {
    this.#retry.reset();
  }

  /** Takes only as many jobs as fit into memory. Further jobs would wait here while other devices could run them. */
  capacity(): Capacity {
    const sequences = this.#offered.map((model) => this.#deps.plans.planFor(model).sequences);
    const concurrency = Math.max(1, ...sequences);
    // Jobs of fast models end often. Each would wait for its call, and with jobs side by side equal ones end together. Of slow
    // models a job would wait for long. Idle workers may take prefetched jobs back.
    return { concurrency, prefetch: this.#isFast(concurrency) ? concurrency : concurrency > 1 ? 1 : 0 };
  }

  /**
   * Whether each of so many jobs side by side writes fast enough with any of the models. Speeds are measured with one job, and
   * jobs side by side share them. A model of unknown speed is slow.
   */
  #isFast(concurrency: number): boolean {
    const speeds = this.#offered.map(({ sha256 }) => this.#deps.plans.speed(sha256)?.generate ?? 0);
    return speeds.every((perSecond) => speedStep(perSecond) / concurrency >= fastPerSecond);
  }

  /** Whether the model's measured speed is news for the queue. Small changes are told with the next change. */
  isSpeedNews({ sha256 }: Pick<ModelFile, "sha256">): boolean {
    const speed = this.#deps.plans.speed(sha256);
    return speed !== null && isNews(this.#toldSpeeds.get(sha256) ?? null, speed);
  }

  abilities(mayUseGpu: boolean): Abilities {
    const { plans } = this.#deps;
    const offered = this.#offered;
    const contexts = offered.flatMap((model) => {
      const contextTokens = plans.contextTokens(model);
      return contextTokens === null ? [] : [{ model: model.modelId, contextTokens }];
    });
    const speeds = offered.flatMap((model) => {
      const { modelId, sha256 } = model;
      const speed = plans.speed(sha256);
      if (speed === null) return [];
      const { prefill, generate } = speed;
      this.#toldSpeeds.set(sha256, speed);
      const setupMs = this.#deps.setupMs(model);
      return [
        {
          of: modelId,
          inputPerSecond: speedStep(prefill),
          outputPerSecond: speedStep(generate),
          ...(setupMs === null ? {} : { setupMs }),
        },
      ];
    });
    const backends = new Set(offered.flatMap(({ sha256 }) => plans.speed(sha256)?.backend ?? []));
    const { vramMb } = plans;
    const onGpuOnly = offered.some((model) => plans.needsGpu(model));
    const hasGpu = onGpuOnly || [...backends].some((backend) => backend !== "cpu");
    return {
      memoryMb: Math.floor(totalmem() / 2 ** 20),
      ...(vramMb === null ? {} : { vramMb }),
      models: offered.map(({ modelId }) => modelId).sort(),
      contexts,
      ...(speeds.length === 0 ? {} : { speeds }),
      ...(backends.size === 0 && !onGpuOnly ? {} : { gpu: mayUseGpu && hasGpu }),
      tags: [...[...backends].sort().map((backend) => `backend:${backend}`), grammarTag],
    };
  }

  get #offered(): readonly ModelFile[] {
    return this.#deps.usable().filter((model) => this.#deps.plans.fits(model));
  }
}
