import type { BackOffDelay } from "@gleaner/queue/worker";
import type { Activity } from "../../../app/policy/decision.ts";
import type { Log } from "../../log.ts";
import type { DeviceReport, Organization, ReportedActivity } from "../organization/organization.ts";
import { ReportLoop } from "./report-loop.ts";

type ActivityReportDeps = {
  readonly organization: Pick<Organization, "report">;
  /** The newer version that was rolled back here. It stays the same while the donor runs. */
  readonly rolledBackVersion: string | null;
  readonly log: Log;
};

/** Reports this device's activity to the organization: at each change and on each new connection. */
export class ActivityReport {
  readonly #rolledBack: Pick<DeviceReport, "rolledBackVersion">;
  readonly #loop: ReportLoop<DeviceReport>;
  #latest: DeviceReport | null = null;
  #reported: string | null = null;

  constructor({ organization, rolledBackVersion, log }: ActivityReportDeps, retryDelayMs?: BackOffDelay) {
    this.#rolledBack = rolledBackVersion === null ? {} : { rolledBackVersion };
    const send = async (report: DeviceReport): Promise<void> => {
      await organization.report(report);
      this.#reported = JSON.stringify(report.activity);
    };
    const onRefused = (error: string): void => log("warn", "report.refused", { error });
    this.#loop = new ReportLoop({ due: () => this.#unreported(), send, onRefused }, retryDelayMs);
  }

  /** @param unknownFacts sent with the next change of activity. If only these change, nothing is sent. */
  setActivity({ kind, reason }: Activity, unknownFacts: readonly string[]): void {
    const activity = { kind, reason } as ReportedActivity;
    this.#latest = { activity, unknownFacts, ...this.#rolledBack };
    void this.#loop.send();
  }

  greeted(): void {
    this.#reported = null;
    this.#loop.greeted();
  }

  stop(): void {
    this.#loop.stop();
  }

  #unreported(): DeviceReport | null {
    return JSON.stringify(this.#latest?.activity) === this.#reported ? null : this.#latest;
  }
}
