import type { BackOffDelay } from "@gleaner/queue/worker";
import type { Activity } from "../../../app/policy/decision.ts";
import type { Log } from "../../log.ts";
import type { Organization, ReportedActivity } from "../organization/organization.ts";
import { ReportLoop } from "./report-loop.ts";

type Report = { readonly activity: ReportedActivity; readonly unknownFacts: readonly string[] };

/** Reports this device's activity to the organization: at each change and on each new connection. */
export class ActivityReport {
  readonly #loop: ReportLoop<Report>;
  #latest: Report | null = null;
  #reported: string | null = null;

  constructor(organization: Pick<Organization, "report">, log: Log, retryDelayMs?: BackOffDelay) {
    const send = async ({ activity, unknownFacts }: Report): Promise<void> => {
      await organization.report(activity, unknownFacts);
      this.#reported = JSON.stringify(activity);
    };
    const onRefused = (error: string): void => log("warn", "report.refused", { error });
    this.#loop = new ReportLoop({ due: () => this.#unreported(), send, onRefused }, retryDelayMs);
  }

  /** @param unknownFacts sent with the next change of activity. If only these change, nothing is sent. */
  setActivity({ kind, reason }: Activity, unknownFacts: readonly string[]): void {
    this.#latest = { activity: { kind, reason } as ReportedActivity, unknownFacts };
    void this.#loop.send();
  }

  greeted(): void {
    this.#reported = null;
    this.#loop.greeted();
  }

  stop(): void {
    this.#loop.stop();
  }

  #unreported(): Report | null {
    return JSON.stringify(this.#latest?.activity) === this.#reported ? null : this.#latest;
  }
}
