import { BackOff, type BackOffDelay, UnknownWorkerError } from "@gleaner/queue/worker";
import type { Activity } from "../../../app/policy/decision.ts";
import { errorName, type Log } from "../../log.ts";
import type { Organization, ReportedActivity } from "../organization/organization.ts";

type Told = { readonly activity: ReportedActivity; readonly unknownFacts: readonly string[] };

/**
 * Tells the organization what this device does, at each change and on each new connection. What the backend refuses is
 * said again, later each time; but not to one that does not know this device.
 */
export class ActivityReport {
  readonly #organization: Pick<Organization, "report">;
  readonly #log: Log;
  readonly #later: BackOff;
  #told: Told | null = null;
  #reported: string | null = null;
  #reporting = false;
  #known = false;

  constructor(organization: Pick<Organization, "report">, log: Log, retryDelayMs?: BackOffDelay) {
    this.#organization = organization;
    this.#log = log;
    this.#later = new BackOff(retryDelayMs);
  }

  /** @param unknownFacts told with the next transition: they are none of their own. */
  setActivity({ kind, reason }: Activity, unknownFacts: readonly string[]): void {
    this.#told = { activity: { kind, reason } as ReportedActivity, unknownFacts };
    void this.#report();
  }

  /** The backend knows this connection. */
  greeted(): void {
    this.#known = true;
    this.#reported = null;
    void this.#report();
  }

  stop(): void {
    this.#known = false;
    this.#later.cancel();
  }

  /** Reports until the backend has taken the latest activity; one report at a time, so that the latest is the last. */
  async #report(): Promise<void> {
    if (this.#reporting) return;
    this.#reporting = true;
    this.#later.cancel();
    try {
      for (let due = this.#unreported(); due !== null; due = this.#unreported()) {
        await this.#organization.report(due.activity, due.unknownFacts);
        this.#reported = JSON.stringify(due.activity);
        this.#later.taken();
      }
    } catch (error) {
      this.#log("warn", "report.refused", { error: errorName(error) });
      if (this.#known && !(error instanceof UnknownWorkerError)) {
        this.#later.refused(() => void this.#report());
      }
    } finally {
      this.#reporting = false;
    }
  }

  #unreported(): Told | null {
    if (!this.#known || this.#told === null) return null;
    return JSON.stringify(this.#told.activity) === this.#reported ? null : this.#told;
  }
}
