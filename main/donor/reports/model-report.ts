import type { BackOffDelay } from "@gleaner/queue/worker";
import type { ModelView } from "../../../app/contract/snapshot.ts";
import type { Log } from "../../log.ts";
import type { Me, Organization, ReportedModel } from "../organization/organization.ts";
import { ReportLoop } from "./report-loop.ts";

/** The interval of reports while only the downloaded bytes change. */
const progressEveryMs = 30_000;

type Speed = Required<ReportedModel>["speed"];
type SentReport = { readonly models: readonly ReportedModel[]; readonly at: number };

/** A smaller change of a measured speed, as a share, is not reported. Speeds vary slightly with every job. */
const leastSpeedChange = 0.2;

/**
 * The time of the next report: now if a model's state changed, later if only its downloaded bytes did.
 * @param now of `performance.now()`, like the times of reports: a clock that is set back must delay none.
 * @returns a time of the same clock, `now` or later. Null if nothing changed.
 */
export function reportDue(
  sent: SentReport | null,
  models: readonly ReportedModel[],
  now: number,
): number | null {
  if (sent === null) return now;
  const calm = models.map((model) => withSentSpeed(model, sent.models));
  if (JSON.stringify(sent.models) === JSON.stringify(calm)) return null;
  const isProgress = JSON.stringify(sent.models.map(withoutBytes)) === JSON.stringify(calm.map(withoutBytes));
  return isProgress ? Math.max(now, sent.at + progressEveryMs) : now;
}

function withSentSpeed(model: ReportedModel, sent: readonly ReportedModel[]): ReportedModel {
  const before = sent.find(({ modelId }) => modelId === model.modelId)?.speed;
  const { speed } = model;
  if (before === undefined || speed === undefined || before.backend !== speed.backend) return model;
  const isNear = (now: number, then: number): boolean => Math.abs(now - then) <= then * leastSpeedChange;
  const isSame = isNear(speed.prefill, before.prefill) && isNear(speed.generate, before.generate);
  return isSame ? { ...model, speed: before } : model;
}

function withoutBytes({ downloadedBytes: _bytes, ...rest }: ReportedModel): unknown {
  return rest;
}

/**
 * Reports the state of the models on this device: on transitions, rarely during downloads, and on each new
 * connection.
 */
export class ModelReport {
  readonly #loop: ReportLoop<readonly ReportedModel[]>;
  #models: readonly ReportedModel[] | null = null;
  #sent: SentReport | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(organization: Pick<Organization, "reportModels">, log: Log, retryDelayMs?: BackOffDelay) {
    const send = async (models: readonly ReportedModel[]): Promise<void> => {
      const at = performance.now();
      await organization.reportModels(models);
      this.#sent = { models, at };
    };
    const onRefused = (error: string): void => log("warn", "model-report.refused", { error });
    this.#loop = new ReportLoop({ due: () => this.#due(), send, onRefused }, retryDelayMs);
  }

  setModels(models: readonly ReportedModel[]): void {
    this.#models = models;
    void this.#loop.send();
  }

  greeted(): void {
    this.#sent = null;
    this.#loop.greeted();
  }

  stop(): void {
    this.#loop.stop();
    clearTimeout(this.#timer);
  }

  /** The models to report now. Sets a timer if the report is due later. */
  #due(): readonly ReportedModel[] | null {
    clearTimeout(this.#timer);
    if (this.#models === null) return null;
    const now = performance.now();
    const at = reportDue(this.#sent, this.#models, now);
    if (at === null) return null;
    if (at <= now) return this.#models;
    this.#timer = setTimeout(() => void this.#loop.send(), at - now).unref();
    return null;
  }
}

/** Converts this device's views of models to reports. */
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

/** Converts one view of a model to a report. `speed` is null if it was not measured. */
export function reportedModel(
  { modelId, state, downloadedBytes, why }: ModelView,
  speed: Speed | null,
): ReportedModel {
  return {
    modelId,
    state,
    ...(downloadedBytes === undefined ? {} : { downloadedBytes }),
    // The detail may name folders of this computer, so only the reason is reported.
    ...(why === undefined ? {} : { why: why.reason }),
    ...(speed === null
      ? {}
      : { speed: { prefill: speed.prefill, generate: speed.generate, backend: speed.backend } }),
  };
}
