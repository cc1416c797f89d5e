import type { BackOffDelay } from "@gleaner/queue/worker";
import type { ComfortHour } from "../../../app/comfort/hour.ts";
import type { Log } from "../../log.ts";
import type { Organization } from "../organization/organization.ts";
import { ReportLoop } from "../reports/report-loop.ts";
import type { Comfort } from "./comfort.ts";

/** One report has at most a day of them. */
export const hoursPerReport = 24;

type Deps = {
  readonly organization: Pick<Organization, "reportComfort">;
  readonly comfort: Pick<Comfort, "unsent" | "sent">;
  readonly log: Log;
};

/** Reports the measured hours to the organization: each once it is over, and all that are due on a new connection. */
export class ComfortReport {
  readonly #loop: ReportLoop<readonly ComfortHour[]>;
  #isRefused = false;

  constructor({ organization, comfort, log }: Deps, retryDelayMs?: BackOffDelay) {
    const due = (): readonly ComfortHour[] | null => {
      const hours = comfort.unsent.slice(0, hoursPerReport);
      return hours.length === 0 || this.#isRefused ? null : hours;
    };
    const send = async (hours: readonly ComfortHour[]): Promise<void> => {
      await organization.reportComfort(hours);
      comfort.sent(hours.at(-1)?.startAt ?? 0);
    };
    const onRefused = (error: string): void => {
      // An older backend does not know the call. The next connection may be to a newer one.
      this.#isRefused = true;
      log("warn", "comfort-report.refused", { error });
    };
    this.#loop = new ReportLoop({ due, send, onRefused }, retryDelayMs);
  }

  /** An hour is over. */
  hourEnded(): void {
    void this.#loop.send();
  }

  greeted(): void {
    this.#isRefused = false;
    this.#loop.greeted();
  }

  stop(): void {
    this.#loop.stop();
  }
}
