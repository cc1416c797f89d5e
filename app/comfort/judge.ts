import type { MeasuredHour } from "./hour.ts";

/** The promises to the person at the computer. Each hour of donation keeps or breaks each of them. */
export const promises = {
  /** 95 % of all yields take at most this long. */
  yieldP95Ms: 250,
  /** While a job runs, 95 % of a program's wake-ups are at most this much later than without a job. */
  addedDelayMs: 20,
  /** Less than this in an hour above the temperature limit. */
  hotSeconds: 60,
  /** At most this much of the battery's charge in an hour, unless the rules allow donating on battery. Gauges fluctuate. */
  batteryPercent: 2,
} as const;

/** The parts of comfort that are promised. */
export const comfortParts = ["yields", "delay", "heat", "battery"] as const;
export type ComfortPart = (typeof comfortParts)[number];

/** `unknown`: this computer cannot tell, or nothing was there to measure. */
export type Verdict = "kept" | "broken" | "unknown";

export type Judgement = Readonly<Record<ComfortPart, Verdict>>;

export function judgeHour(hour: MeasuredHour): Judgement {
  return {
    yields: atMost(hour.yieldP95Ms, promises.yieldP95Ms),
    delay: atMost(addedDelayMs(hour), promises.addedDelayMs),
    heat: hour.hotSeconds === null ? "unknown" : hour.hotSeconds < promises.hotSeconds ? "kept" : "broken",
    battery: hour.mayUseBattery ? "kept" : atMost(hour.batteryPercent, promises.batteryPercent),
  };
}

/** The promises that an hour broke. */
export function brokenParts(hour: MeasuredHour): readonly ComfortPart[] {
  const judgement = judgeHour(hour);
  return comfortParts.filter((part) => judgement[part] === "broken");
}

/** How much later a timer fires while a job runs than without one; ms. Null if one of the two is unknown. */
export function addedDelayMs({ workingDelayMs, restingDelayMs }: MeasuredHour): number | null {
  if (workingDelayMs === null || restingDelayMs === null) return null;
  return Math.max(0, workingDelayMs - restingDelayMs);
}

function atMost(measured: number | null, most: number): Verdict {
  if (measured === null) return "unknown";
  return measured <= most ? "kept" : "broken";
}
