import systeminformation from "systeminformation";
import { type Known, known, unknown } from "../../../app/facts/facts.ts";
import type { Sensor } from "../base/sensor.ts";
import { countSubprocess } from "../base/subprocess.ts";

export type PowerReading = {
  readonly power: Known<"ac" | "battery">;
  /** 0 to 100. Unknown without a battery. */
  readonly batteryPercent: Known<number>;
};

export type BatteryData = {
  readonly hasBattery: boolean;
  readonly acConnected: boolean;
  readonly percent: number;
};

/** For Windows. Each sample starts PowerShell. */
export const batterySensor: Sensor = {
  source: "systeminformation",
  facts: ["power", "batteryPercent"],
  everyMs: 360_000,
  subprocessEveryMs: 360_000,
  sample: async () => {
    countSubprocess("systeminformation");
    try {
      return readPower(await systeminformation.battery());
    } catch {
      return {};
    }
  },
};

/** A computer without a battery runs on mains power. */
export function readPower(battery: BatteryData): PowerReading {
  if (!battery.hasBattery) return { power: known("ac"), batteryPercent: unknown };
  const percent = battery.percent;
  return {
    power: known(battery.acConnected ? "ac" : "battery"),
    batteryPercent: Number.isFinite(percent) && percent >= 0 && percent <= 100 ? known(percent) : unknown,
  };
}
