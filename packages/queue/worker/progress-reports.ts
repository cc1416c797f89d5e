import { convexToJson, type Value } from "convex/values";
import type { Acknowledged } from "./protocol.ts";

/** How many spans nothing is told after a call that failed. */
const spansAfterFailure = 30;

export type ProgressReportsOptions = {
  readonly say: (view: Value) => Promise<Acknowledged>;
  readonly onFenced: () => void;
  readonly onRefused: (error: unknown) => void;
  readonly everyMs: number;
};

/**
 * How far an attempt is, as the queue is told: the last of each span, if it is another than before, and one call at a
 * time. The first span tells nothing, so that a short job costs no call. A failed call is not repeated: the next says more.
 */
export class ProgressReports {
  readonly #options: ProgressReportsOptions;
  #untold: { readonly view: Value } | null = null;
  #told = "";
  #timer: ReturnType<typeof setTimeout> | null = null;
  #closed = false;

  constructor(options: ProgressReportsOptions) {
    this.#options = options;
  }

  set(view: Value): void {
    this.#untold = { view };
    if (this.#timer === null) this.#arm(this.#options.everyMs);
  }

  /** Tells nothing more. */
  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #arm(ms: number): void {
    if (!this.#closed) this.#timer = setTimeout(() => void this.#tell(), ms);
  }

  async #tell(): Promise<void> {
    const { everyMs, say, onFenced, onRefused } = this.#options;
    let restMs = everyMs;
    try {
      const untold = this.#untold;
      this.#untold = null;
      const text = untold === null ? this.#told : JSON.stringify(convexToJson(untold.view));
      if (untold !== null && text !== this.#told) {
        this.#told = text;
        const { kind } = await say(untold.view);
        if (kind === "fenced") onFenced();
      }
    } catch (error) {
      restMs = spansAfterFailure * everyMs;
      onRefused(error);
    }
    this.#timer = null;
    if (this.#untold !== null || restMs > everyMs) this.#arm(restMs);
  }
}
