import { errorName, type Log } from "../log.ts";
import { BackOff, type BackOffDelay } from "../worker/back-off.ts";
import { UnknownWorkerError } from "../worker/refusal.ts";
import type { Organization, ReportedModel } from "./organization.ts";

/** While bytes come in and nothing else changes, the organization is told this often. */
const progressEveryMs = 30_000;

type Told = { readonly models: readonly ReportedModel[]; readonly at: number };

/**
 * When to tell where the models stand: at once where one changed its state, later where only bytes came in.
 * @returns ms since the epoch, `now` or later; null: there is nothing to tell.
 */
export function reportDue(told: Told | null, models: readonly ReportedModel[], now: number): number | null {
  if (told === null) return now;
  if (JSON.stringify(told.models) === JSON.stringify(models)) return null;
  const isProgress =
    JSON.stringify(told.models.map(withoutBytes)) === JSON.stringify(models.map(withoutBytes));
  return isProgress ? Math.max(now, told.at + progressEveryMs) : now;
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
