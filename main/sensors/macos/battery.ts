import { known, unknown } from "../../../app/facts/facts.ts";
import type { Found, Sensor } from "../base/sensor.ts";
import { runSubprocess } from "../base/subprocess.ts";

/** Only the facts that the shell does not report. Starts a subprocess every three minutes. */
export const macBatterySensor: Sensor = {
  source: "pmset",
  facts: ["power", "batteryPercent"],
  everyMs: 180_000,
  subprocessEveryMs: 180_000,
  sample: async () => {
    const result = await runSubprocess("/usr/bin/pmset", ["-g", "batt"]);
    return result.kind === "ok" ? (parsePmset(result.stdout) ?? {}) : {};
  },
};

/** "Now drawing from 'Battery Power'", then a line for each battery: "-InternalBattery-0 (id=…)	87%; discharging; …". */
export function parsePmset(text: string): Found | null {
  const source = /drawing from '([^']+)'/.exec(text)?.[1];
  if (source === undefined) return null;
  const percent = /InternalBattery[^\n]*?\b(\d{1,3})%/.exec(text)?.[1];
  return {
    power: known(source === "AC Power" ? "ac" : "battery"),
    batteryPercent: percent === undefined || Number(percent) > 100 ? unknown : known(Number(percent)),
  };
}
