import { BackOff, type BackOffDelay, UnknownWorkerError } from "@gleaner/queue/worker";
import type { Activity } from "../../../app/policy/decision.ts";
import { errorName, type Log } from "../../log.ts";
import type { Organization, ReportedActivity } from "../organization/organization.ts";

type Report = { readonly activity: ReportedActivity; readonly unknownFacts: readonly string[] };

/**
 * Reports this device's activity to the organization: at each change and on each new connection. A refused
 * report is repeated with back-off, unless the backend does not know this device.
 */
export class ActivityReport {
  readonly #organization: Pick<Organization, "report">;
  readonly #log: Log;
  readonly #retry: BackOff;
  #latest: Report | null = null;
  #reported: string | null = null;
  #reporting = false;
  #known = false;

  constructor(organization: Pick<Organization, "report">, log: Log, retryDelayMs?: BackOffDelay) {
    this.#organization = organization;
    this.#log = log;
    this.#retry = new BackOff(retryDelayMs);
  }

  /** @param unknownFacts sent with the next change of activity. If only these change, nothing is sent. */
  setActivity({ kind, reason }: Activity, unknownFacts: readonly string[]): void {
    this.#latest = { activity: { kind, reason } as ReportedActivity, unknownFacts };
    void this.#report();
  }

  /** The backend has accepted this connection. */
  greeted(): void {
    this.#known = true;
    this.#reported = null;
    void this.#report();
  }

  stop(): void {
    this.#known = false;
    this.#retry.cancel();
  }

  /**
   * Reports until the backend has the latest activity. Sends one report at a time, so that the latest arrives
   * last.
   */
  async #report(): Promise<void> {
    if (this.#reporting) return;
    this.#reporting = true;
    this.#retry.cancel();
    try {
      for (let due = this.#unreported(); due !== null; due = this.#unreported()) {
        await this.#organization.report(due.activity, due.unknownFacts);
        this.#reported = JSON.stringify(due.activity);
        this.#retry.taken();
      }
    } catch (error) {
      this.#log("warn", "report.refused", { error: errorName(error) });
      if (this.#known && !(error instanceof UnknownWorkerError)) {
        this.#retry.refused(() => void this.#report());
      }
    } finally {
      this.#reporting = false;
    }
  }

  #unreported(): Report | null {
    if (!this.#known || this.#latest === null) return null;
    return JSON.stringify(this.#latest.activity) === this.#reported ? null : this.#latest;
  }
}
