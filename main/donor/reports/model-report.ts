import { BackOff, type BackOffDelay, UnknownWorkerError } from "@gleaner/queue/worker";
import type { ModelView } from "../../../app/contract/snapshot.ts";
import { errorName, type Log } from "../../log.ts";
import type { Me, Organization, ReportedModel } from "../organization/organization.ts";

/** While bytes come in and nothing else changes, the organization is told this often. */
const progressEveryMs = 30_000;

type Speed = Required<ReportedModel>["speed"];
type Told = { readonly models: readonly ReportedModel[]; readonly at: number };

/** A measured speed that moved less than this is the one that was told: it moves a little with every job. */
const worthTelling = 0.2;

/**
 * When to tell where the models stand: at once where one changed its state, later where only bytes came in.
 * @returns ms since the epoch, `now` or later; null: there is nothing to tell.
 */
export function reportDue(told: Told | null, models: readonly ReportedModel[], now: number): number | null {
  if (told === null) return now;
  const calm = models.map((model) => withToldSpeed(model, told.models));
  if (JSON.stringify(told.models) === JSON.stringify(calm)) return null;
  const isProgress = JSON.stringify(told.models.map(withoutBytes)) === JSON.stringify(calm.map(withoutBytes));
  return isProgress ? Math.max(now, told.at + progressEveryMs) : now;
}

function withToldSpeed(model: ReportedModel, told: readonly ReportedModel[]): ReportedModel {
  const before = told.find(({ modelId }) => modelId === model.modelId)?.speed;
  const { speed } = model;
  if (before === undefined || speed === undefined || before.backend !== speed.backend) return model;
  const isNear = (now: number, then: number): boolean => Math.abs(now - then) <= then * worthTelling;
  const isSame = isNear(speed.prefill, before.prefill) && isNear(speed.generate, before.generate);
  return isSame ? { ...model, speed: before } : model;
}

function withoutBytes({ downloadedBytes: _bytes, ...rest }: ReportedModel): unknown {
  return rest;
}

/** Tells the organization where its models stand on this device: on transitions, seldom meanwhile, and on each new connection. */
export class ModelReport {
  readonly #organization: Pick<Organization, "reportModels">;
  readonly #log: Log;
  readonly #later: BackOff;
  #models: readonly ReportedModel[] | null = null;
  #told: Told | null = null;
  #timer: NodeJS.Timeout | undefined;
  #reporting = false;
  #known = false;

  constructor(organization: Pick<Organization, "reportModels">, log: Log, retryDelayMs?: BackOffDelay) {
    this.#organization = organization;
    this.#log = log;
    this.#later = new BackOff(retryDelayMs);
  }

  setModels(models: readonly ReportedModel[]): void {
    this.#models = models;
    void this.#report();
  }

  /** The backend knows this connection. */
  greeted(): void {
    this.#known = true;
    this.#told = null;
    void this.#report();
  }

  stop(): void {
    this.#known = false;
    this.#later.cancel();
    clearTimeout(this.#timer);
  }

  async #report(): Promise<void> {
    if (this.#reporting) return;
    this.#reporting = true;
    this.#later.cancel();
    clearTimeout(this.#timer);
    try {
      for (let models = this.#due(); models !== null; models = this.#due()) {
        const at = Date.now();
        await this.#organization.reportModels(models);
        this.#told = { models, at };
        this.#later.taken();
      }
    } catch (error) {
      this.#log("warn", "model-report.refused", { error: errorName(error) });
      if (this.#known && !(error instanceof UnknownWorkerError)) {
        this.#later.refused(() => void this.#report());
      }
    } finally {
      this.#reporting = false;
    }
  }

  /** What is to be told now; where that is later, a timer is set. */
  #due(): readonly ReportedModel[] | null {
    if (!this.#known || this.#models === null) return null;
    const now = Date.now();
    const at = reportDue(this.#told, this.#models, now);
    if (at === null) return null;
    if (at <= now) return this.#models;
    this.#timer = setTimeout(() => void this.#report(), at - now).unref();
    return null;
  }
}

/** The models of this device's views, for the organization. */
export function reportedModels(
  views: readonly ModelView[],
  me: Pick<Me, "models"> | null,
  speedOf: (sha256: string) => Speed | null,
): readonly ReportedModel[] {
  const hashes = new Map(me?.models.map(({ modelId, sha256 }) => [modelId, sha256] as const));
  return views.map((view) => {
    const sha256 = hashes.get(view.modelId);
    return reportedModel(view, sha256 === undefined ? null : speedOf(sha256));
  });
}

/** A model as it stands in this device's views, for the organization. `speed`: null where none was measured. */
export function reportedModel(
  { modelId, state, downloadedBytes, why }: ModelView,
  speed: Speed | null,
): ReportedModel {
  return {
    modelId,
    state,
    ...(downloadedBytes === undefined ? {} : { downloadedBytes }),
    // The detail may name folders of this computer: the reason alone is the organization's business.
    ...(why === undefined ? {} : { why: why.reason }),
    ...(speed === null
      ? {}
      : { speed: { prefill: speed.prefill, generate: speed.generate, backend: speed.backend } }),
  };
}
