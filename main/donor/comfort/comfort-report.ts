import type { BackOffDelay } from "@gleaner/queue/worker";
import type { ComfortHour } from "../../../app/comfort/hour.ts";
import type { Log } from "../../log.ts";
import type { Organization } from "../organization/organization.ts";
import { ReportLoop } from "../reports/report-loop.ts";
import type { Comfort } from "./comfort.ts";

/** One report has at most a day of them. */
export const hoursPerReport = 24;
/** Hours end on all computers at once. Each waits up to ten minutes before its report. */
const longestWaitMs = 10 * 60_000;
/** An older backend does not have the function, or expects other fields. */
const isUnknownCall = /Could not find public function|ArgumentValidationError/;

type Deps = {
  readonly organization: Pick<Organization, "reportComfort">;
  readonly comfort: Pick<Comfort, "unsent" | "sent">;
  readonly log: Log;
};

/** Reports the measured hours to the organization: each some minutes after its end, and all that are due on a new connection. */
export class ComfortReport {
  readonly #loop: ReportLoop<readonly ComfortHour[]>;
  #isRefused = false;
  #timer: NodeJS.Timeout | undefined;

  constructor({ organization, comfort, log }: Deps, retryDelayMs?: BackOffDelay) {
    const due = (): readonly ComfortHour[] | null => {
      const hours = comfort.unsent.slice(0, hoursPerReport);
      return hours.length === 0 || this.#isRefused ? null : hours;
    };
    const send = async (hours: readonly ComfortHour[]): Promise<void> => {
      try {
        await organization.reportComfort(hours);
      } catch (error) {
        // The next connection may be to a newer backend.
        this.#isRefused = error instanceof Error && isUnknownCall.test(error.message);
        throw error;
      }
      comfort.sent(hours.at(-1)?.startAt ?? 0);
    };
    const onRefused = (error: string): void => log("warn", "comfort-report.refused", { error });
    this.#loop = new ReportLoop({ due, send, onRefused }, retryDelayMs);
  }

  /** An hour is over. */
  hourEnded(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#loop.send();
    }, Math.random() * longestWaitMs).unref();
  }

  greeted(): void {
    this.#isRefused = false;
    this.#loop.greeted();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#loop.stop();
  }
}
