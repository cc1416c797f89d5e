import { times } from "../../app/jobs/limits.ts";
import type { Activity } from "../../app/policy/decision.ts";
import { errorName, type Log } from "../log.ts";
import { BackOff, type BackOffDelay } from "./back-off.ts";
import { type Backend, type Capabilities, type ReportedActivity, UnknownDeviceError } from "./backend.ts";

export type PresenceOptions = {
  readonly backend: Pick<Backend, "hello" | "heartbeat" | "report" | "goodbye">;
  readonly version: string;
  readonly log: Log;
  readonly heartbeatHoldingMs?: number;
  readonly heartbeatIdleMs?: number;
  /** A hello that was refused may be said again: greet then, with what is true by then. */
  readonly onGreetAgain: () => void;
  readonly retryDelayMs?: BackOffDelay;
};

/**
 * Tells the backend that this device is here, what it can do and what it does: a hello for each connection
 * and each change of capabilities, a heartbeat on a clock, a report at each change of activity. What the
 * backend refuses is said again, later each time; but not to a backend that does not know this device.
 */
export class Presence {
  readonly #options: PresenceOptions;
  #greeted: string | null = null;
  #greeting: string | null = null;
  #refused: string | null = null;
  readonly #greetLater: BackOff;
  #startup = true;
  #reported: string | null = null;
  #reporting = false;
  readonly #reportLater: BackOff;
  #activity: ReportedActivity | null = null;
  #holding = false;
  #timer: NodeJS.Timeout | null = null;
  #beating = false;
  #ended = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#greetLater = new BackOff(options.retryDelayMs);
    this.#reportLater = new BackOff(options.retryDelayMs);
  }

  /** Whether the backend knows this connection and these capabilities. */
  isGreeted(generation: number, capabilities: Capabilities): boolean {
    return this.#greeted === greetingKey(generation, capabilities);
  }

  /** Says hello unless that was said, is being said, or was refused just now. Resolves true when the backend took it. */
  async greet(generation: number, capabilities: Capabilities): Promise<boolean> {
    const key = greetingKey(generation, capabilities);
    if (this.#ended || this.#greeted === key || this.#greeting === key) return false;
    if (this.#greetLater.waiting && this.#refused === key) return false;
    this.#greeting = key;
    try {
      await this.#options.backend.hello(this.#options.version, capabilities, this.#startup);
      this.#greetLater.taken();
      this.#startup = false;
      this.#greeted = key;
      this.#reported = null;
      void this.#report();
      this.#arm();
      return true;
    } catch (error) {
      this.#options.log("warn", "hello.refused", { error: errorName(error) });
      this.#refused = key;
      this.#later(this.#greetLater, error, this.#options.onGreetAgain);
      return false;
    } finally {
      if (this.#greeting === key) this.#greeting = null;
    }
  }

  setActivity(activity: Activity): void {
    this.#activity =
      activity.kind === "donating"
        ? { kind: "donating", reason: activity.reason }
        : { kind: "holding", reason: activity.reason };
    if (this.#greeted !== null) void this.#report();
  }

  /** A device that holds jobs has to be heard more often. */
  setHolding(holding: boolean): void {
    if (holding === this.#holding) return;
    this.#holding = holding;
    if (this.#timer !== null) this.#arm();
  }

  /** The device left its organization, or the program ends without a goodbye. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#greetLater.cancel();
    this.#reportLater.cancel();
    this.#greeted = null;
  }

  /** Offline at once; whatever is still held goes back. */
  async goodbye(): Promise<void> {
    // A hello on its way will be taken before what is said after it.
    const greeted = this.#greeted !== null || this.#greeting !== null;
    this.#ended = true;
    this.stop();
    if (greeted) await this.#options.backend.goodbye();
  }

  /** Reports until the backend has taken the latest activity; one report at a time, so that the latest is the last. */
  async #report(): Promise<void> {
    if (this.#reporting) return;
    this.#reporting = true;
    this.#reportLater.cancel();
    try {
      for (let due = this.#unreported(); due !== null; due = this.#unreported()) {
        await this.#options.backend.report(due);
        this.#reported = JSON.stringify(due);
        this.#reportLater.taken();
      }
    } catch (error) {
      this.#options.log("warn", "report.refused", { error: errorName(error) });
      this.#later(this.#reportLater, error, () => void this.#report());
    } finally {
      this.#reporting = false;
    }
  }

  #later(backOff: BackOff, error: unknown, again: () => void): void {
    if (!this.#ended && !(error instanceof UnknownDeviceError)) backOff.refused(again);
  }

  #unreported(): ReportedActivity | null {
    if (this.#ended || this.#greeted === null) return null;
    return JSON.stringify(this.#activity) === this.#reported ? null : this.#activity;
  }

  #arm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const holdingMs = this.#options.heartbeatHoldingMs ?? times.heartbeatHoldingMs;
    const idleMs = this.#options.heartbeatIdleMs ?? times.heartbeatIdleMs;
    this.#timer = setTimeout(() => this.#beat(), this.#holding ? holdingMs : idleMs);
  }

  #beat(): void {
    this.#arm();
    // While there is no connection calls wait: one waiting heartbeat says as much as ten.
    if (this.#beating) return;
    this.#beating = true;
    this.#options.backend
      .heartbeat()
      .catch((error: unknown) => {
        this.#options.log("warn", "heartbeat.refused", { error: errorName(error) });
      })
      .finally(() => {
        this.#beating = false;
      });
  }
}

function greetingKey(generation: number, capabilities: Capabilities): string {
  return JSON.stringify([generation, capabilities.threads, capabilities.memoryMb, capabilities.models]);
}
