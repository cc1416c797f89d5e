import * as z from "zod";
import type { Facts, Known } from "../facts/facts.ts";
import type { Activity } from "../policy/decision.ts";
import type { Rules } from "../policy/rules.ts";
import { isTooHot } from "../policy/rules/heat.ts";
import {
  countOf,
  emptySketch,
  mergeSketches,
  quantile,
  type Sketch,
  sketchOf,
} from "../statistics/sketch.ts";
import { hourMs, hourOf, leastDonatedSeconds, type MeasuredHour } from "./hour.ts";

/** After a longer time between two decisions, in ms, the computer slept. */
const longestGapMs = 20 * 60_000;
/** Nothing takes so long while the computer is awake. */
const sleptMs = 60_000;
/** Fewer delays are no measurement. A delay is measured ten times a second. */
const leastDelays = 300;
/** More yields in an hour are not counted. */
const mostTimedYields = 1_000;

const amount = z.number().min(0);
const sketch: z.ZodType<Sketch> = z.object({
  bins: z.array(z.number().int().min(0)).max(200),
  counts: z.array(z.number().int().min(0)).max(200),
  sum: amount,
});
const mean = z.object({ sum: amount, ms: amount });

/** The hour that is being measured. A donor stores it when it stops, and continues it after a restart. */
export const openHour = z.object({
  startAt: amount,
  donatedMs: amount,
  yieldMs: z.array(amount).max(mostTimedYields),
  working: sketch,
  resting: sketch,
  hotMs: amount.nullable(),
  batteryPercent: amount.nullable(),
  mayUseBattery: z.boolean(),
  donatingFan: mean,
  restingFan: mean,
});
export type OpenHour = z.infer<typeof openHour>;

/** The state of the computer from one decision to the next. */
type Stretch = {
  readonly at: number;
  readonly isDonating: boolean;
  /** It donates, or waits until the heat of its work is gone. */
  readonly warms: boolean;
  /** Null: unknown. */
  readonly isHot: boolean | null;
  readonly battery: Known<number>;
  readonly fan: Known<number>;
};

/** Measures the comfort of each hour from what the donor sees and does anyway. It has no clock and no timer. */
export class ComfortMeter {
  readonly #onHour: (hour: MeasuredHour) => void;
  #hour: OpenHour;
  #last: Stretch | null = null;
  /** The charge when this stretch of donation began, and what the hour had spent until then. */
  #charge: { readonly from: number; readonly spent: number } | null = null;
  #working: number[] = [];
  #resting: number[] = [];

  /**
   * @param onHour gets each hour with enough donation once it is over.
   * @param open an hour that an earlier run began.
   */
  constructor(onHour: (hour: MeasuredHour) => void, open: OpenHour | null = null) {
    this.#onHour = onHour;
    this.#hour = open ?? emptyHour(0);
  }

  /** Call it after each decision. */
  decided(activity: Activity, facts: Facts, rules: Rules): void {
    const { now, batteryPercent, fanRpm } = facts;
    const last = this.#last;
    this.#credit(now, batteryPercent);
    this.#enter(now);
    const isDonating = activity.kind === "donating";
    const cools = activity.reason === "too-hot" && last?.warms === true;
    if (isDonating && rules.allowOnBattery) this.#hour.mayUseBattery = true;
    if (!isDonating) this.#charge = null;
    this.#last = {
      at: now,
      isDonating,
      warms: isDonating || cools,
      isHot: isTooHot(facts, rules),
      battery: batteryPercent,
      fan: fanRpm,
    };
  }

  /** Work was stopped, which took so long. */
  yielded(tookMs: number): void {
    if (tookMs > sleptMs) return;
    if (this.#hour.yieldMs.length < mostTimedYields) this.#hour.yieldMs.push(Math.max(0, tookMs));
  }

  /** A timer fired this much too late. */
  delayed(lateMs: number, isWorking: boolean): void {
    if (lateMs > sleptMs) return;
    const values = isWorking ? this.#working : this.#resting;
    values.push(lateMs);
    if (values.length >= leastDelays) this.#addDelays();
  }

  /** The hour so far, to store it. */
  open(): OpenHour {
    this.#addDelays();
    return this.#hour;
  }

  /** Adds the time since the last decision to the hours that it was in. */
  #credit(now: number, battery: Known<number>): void {
    const last = this.#last;
    const ms = last === null ? 0 : now - last.at;
    if (ms > longestGapMs) this.#charge = null;
    if (last === null || ms <= 0 || ms > longestGapMs) return;
    const border = hourOf(last.at) + hourMs;
    this.#add(last, Math.min(now, border) - last.at);
    if (last.isDonating && last.battery.known && battery.known) {
      const before = this.#hour.batteryPercent ?? 0;
      this.#charge ??= { from: last.battery.value, spent: before };
      // A gauge that flickers drops often, but never far below the charge at the beginning.
      const { from, spent } = this.#charge;
      this.#hour.batteryPercent = Math.max(before, spent + from - battery.value);
    }
    if (now <= border) return;
    this.#enter(border);
    this.#add(last, now - border);
  }

  #add({ isDonating, warms, isHot, fan }: Stretch, ms: number): void {
    const hour = this.#hour;
    if (isDonating) hour.donatedMs += ms;
    if (warms && isHot !== null) hour.hotMs = (hour.hotMs ?? 0) + (isHot ? ms : 0);
    if (!fan.known) return;
    const mean = isDonating ? hour.donatingFan : hour.restingFan;
    mean.sum += fan.value * ms;
    mean.ms += ms;
  }

  /** Ends the hour if this moment is in another one. */
  #enter(now: number): void {
    const startAt = hourOf(now);
    if (startAt === this.#hour.startAt) return;
    this.#addDelays();
    this.#charge = null;
    const ended = this.#hour;
    this.#hour = emptyHour(startAt);
    if (ended.donatedMs >= leastDonatedSeconds * 1_000) this.#onHour(hourFrom(ended));
  }

  #addDelays(): void {
    this.#hour.working = mergeSketches([this.#hour.working, sketchOf(this.#working)]);
    this.#hour.resting = mergeSketches([this.#hour.resting, sketchOf(this.#resting)]);
    this.#working = [];
    this.#resting = [];
  }
}

function emptyHour(startAt: number): OpenHour {
  return {
    startAt,
    donatedMs: 0,
    yieldMs: [],
    working: emptySketch(),
    resting: emptySketch(),
    hotMs: null,
    batteryPercent: null,
    mayUseBattery: false,
    donatingFan: { sum: 0, ms: 0 },
    restingFan: { sum: 0, ms: 0 },
  };
}

function hourFrom(open: OpenHour): MeasuredHour {
  return {
    startAt: open.startAt,
    donatedSeconds: secondsOf(open.donatedMs),
    yieldP95Ms: nearestRank(open.yieldMs, 0.95),
    workingDelayMs: delayOf(open.working),
    restingDelayMs: delayOf(open.resting),
    hotSeconds: open.hotMs === null ? null : secondsOf(open.hotMs),
    batteryPercent: open.batteryPercent === null ? null : Math.min(100, open.batteryPercent),
    mayUseBattery: open.mayUseBattery,
    donatingFanRpm: meanOf(open.donatingFan),
    restingFanRpm: meanOf(open.restingFan),
  };
}

function secondsOf(ms: number): number {
  return Math.min(3_600, Math.round(ms / 1_000));
}

function nearestRank(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const at = sorted[Math.ceil(share * sorted.length) - 1];
  return at === undefined ? null : Math.min(hourMs, Math.round(at));
}

function delayOf(delays: Sketch): number | null {
  if (countOf(delays) < leastDelays) return null;
  return Math.min(hourMs, Math.round(quantile(delays, 0.95) ?? 0));
}

function meanOf({ sum, ms }: OpenHour["restingFan"]): number | null {
  return ms === 0 ? null : Math.min(100_000, Math.round(sum / ms));
}
