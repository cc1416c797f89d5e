import systeminformation from "systeminformation";
import { known, unknown } from "../../../app/facts/facts.ts";
import type { Found, Sensor } from "../base/sensor.ts";
import { countSubprocess } from "../base/subprocess.ts";

type BatteryData = {
  readonly hasBattery: boolean;
  readonly acConnected: boolean;
  readonly percent: number;
};

/** Each sample starts PowerShell. */
export const windowsBatterySensor: Sensor = {
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
export function readPower(battery: BatteryData): Found {
  if (!battery.hasBattery) return { power: known("ac"), batteryPercent: unknown };
  const percent = battery.percent;
  return {
    power: known(battery.acConnected ? "ac" : "battery"),
    batteryPercent: Number.isFinite(percent) && percent >= 0 && percent <= 100 ? known(percent) : unknown,
  };
}
