import { BackOff, type BackOffDelay, UnknownWorkerError } from "@gleaner/queue/worker";
import { errorName } from "../../log.ts";

type ReportLoopDeps<Report> = {
  /** Null while the backend has the latest report. */
  readonly due: () => Report | null;
  readonly send: (report: Report) => Promise<void>;
  readonly onRefused: (error: string) => void;
};

/**
 * Sends one report at a time until none is due, so that the latest arrives last. A refused report is repeated with
 * back-off. If the backend does not know this device, or has retired it, nothing is sent until it greets the device again.
 */
export class ReportLoop<Report> {
  readonly #deps: ReportLoopDeps<Report>;
  readonly #retry: BackOff;
  #sending = false;
  #known = false;

  constructor(deps: ReportLoopDeps<Report>, retryDelayMs?: BackOffDelay) {
    this.#deps = deps;
    this.#retry = new BackOff(retryDelayMs);
  }

  /** The backend has accepted this connection. */
  greeted(): void {
    this.#known = true;
    void this.send();
  }

  stop(): void {
    this.#known = false;
    this.#retry.cancel();
  }

  /** Call this when a report may be due. */
  async send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    this.#retry.cancel();
    try {
      for (let report = this.#due(); report !== null; report = this.#due()) {
        await this.#deps.send(report);
        this.#retry.reset();
      }
    } catch (error) {
      this.#deps.onRefused(errorName(error));
      if (error instanceof UnknownWorkerError) this.#known = false;
      if (this.#known) this.#retry.scheduleRetry(() => void this.send());
    } finally {
      this.#sending = false;
    }
  }

  #due(): Report | null {
    return this.#known ? this.#deps.due() : null;
  }
}
