import type { Handler } from "@gleaner/queue/worker";
import type { Value } from "convex/values";
import { EnergyAccount, type PowerSample } from "../../../app/energy/energy-account.ts";
import { estimatedWatts, type Hardware } from "../../../app/energy/estimate.ts";
import type { Known } from "../../../app/facts/facts.ts";
import { isRecord } from "../../../app/json.ts";
import { type EnergyMeter, energyMeter } from "../../sensors/energy/energy-meter.ts";

type EnergyWatchDeps = {
  /** The hardware that jobs use now. */
  readonly hardware: () => Hardware;
  /** How long nobody has used the computer; seconds. */
  readonly idle: () => Known<number>;
  /** The energy that the graphics cards have used; joules. Null if no counter tells it. */
  readonly cardJoules: () => Promise<number | null>;
  /** Whether the runner lives. */
  readonly isRunning: () => boolean;
  readonly power: () => Known<"ac" | "battery">;
  readonly meter?: EnergyMeter;
  /** ms of a clock that nobody sets. */
  readonly now?: () => number;
};

/** Shorter than a processor's counter takes to overflow, which is some minutes under full load. */
const everyMs = 30_000;

/** Adds the energy that a job used to the device's report of it. */
export class EnergyWatch {
  readonly #hardware: () => Hardware;
  readonly #idle: () => Known<number>;
  readonly #cardJoules: EnergyWatchDeps["cardJoules"];
  readonly #isRunning: EnergyWatchDeps["isRunning"];
  readonly #power: EnergyWatchDeps["power"];
  readonly #meter: EnergyMeter;
  readonly #now: () => number;
  readonly #account = new EnergyAccount();
  readonly #timer: NodeJS.Timeout;
  #jobs = 0;
  #stopped = false;

  constructor({
    hardware,
    idle,
    cardJoules,
    isRunning,
    power,
    meter = energyMeter(),
    now = () => performance.now(),
  }: EnergyWatchDeps) {
    this.#hardware = hardware;
    this.#idle = idle;
    this.#cardJoules = cardJoules;
    this.#isRunning = isRunning;
    this.#power = power;
    this.#meter = meter;
    this.#now = now;
    this.#timer = setInterval(() => {
      void this.#sample().then((sample) => this.#account.advance(sample));
    }, everyMs).unref();
  }

  /** Wraps a job's handler. */
  metered(handler: Handler): Handler {
    return async (payload, ctx) => {
      let report: unknown;
      this.#jobs += 1;
      this.#account.begin(ctx.attemptId, await this.#sample());
      try {
        return await handler(payload, { ...ctx, report: (facts) => (report = facts) });
      } finally {
        this.#jobs -= 1;
        const energy = this.#account.end(ctx.attemptId, await this.#sample());
        if (isRecord(report) && energy !== null) ctx.report({ ...(report as Record<string, Value>), energy });
      }
    };
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#stopped = true;
    this.#followWork();
  }

  async #sample(): Promise<PowerSample> {
    const card = this.#hardware().gpu === "card" ? { joules: await this.#cardJoules() } : null;
    const hardware = this.#hardware();
    const at = this.#now();
    const idle = this.#idle();
    this.#followWork();
    return {
      at,
      reading: this.#meter.read(at, card),
      watts: estimatedWatts(hardware),
      idleMs: idle.known ? idle.value * 1_000 : null,
    };
  }

  #followWork(): void {
    const power = this.#power();
    this.#meter.follow({
      running: !this.#stopped && (this.#jobs > 0 || this.#isRunning()),
      onBattery: power.known && power.value === "battery",
    });
  }
}
