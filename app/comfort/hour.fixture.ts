import { type ComfortHour, hourMs } from "./hour.ts";
import type { ComfortPart } from "./judge.ts";

/** A Tuesday, 10:00 (UTC). */
export const firstHour = 500_001 * hourMs;

/** An hour that keeps every promise. @param after hours after the first one. */
export function comfortableHour(after = 0, measured: Partial<ComfortHour> = {}): ComfortHour {
  return {
    startAt: firstHour + after * hourMs,
    donatedSeconds: 1_800,
    yieldP95Ms: 120,
    workingDelayMs: 6,
    restingDelayMs: 1,
    hotSeconds: 0,
    batteryPercent: 0,
    mayUseBattery: false,
    donatingFanRpm: null,
    restingFanRpm: null,
    step: 0,
    ...measured,
  };
}

/** Measurements that break one promise. */
export const breaks: Readonly<Record<ComfortPart, Partial<ComfortHour>>> = {
  yields: { yieldP95Ms: 251 },
  delay: { workingDelayMs: 40, restingDelayMs: 10 },
  heat: { hotSeconds: 60 },
  battery: { batteryPercent: 3 },
};
