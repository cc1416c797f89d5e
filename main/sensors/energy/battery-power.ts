import { join } from "node:path";
import { listFolder, readNumber, readText } from "../base/read-file.ts";

/**
 * The power that the computer draws from its batteries; watts. That of the whole computer, with its screen. Null while it is not on
 * battery, and if a battery that discharges does not tell it.
 */
export function batteryWatts(folder = "/sys/class/power_supply"): number | null {
  let watts = 0;
  let discharging = 0;
  for (const name of listFolder(folder)) {
    const path = join(folder, name);
    const read = (file: string): number | null => readNumber(join(path, file));
    if (readText(join(path, "type")) !== "Battery" || readText(join(path, "scope")) === "Device") continue;
    if (readText(join(path, "status")) !== "Discharging") continue;
    const [power, current, voltage] = [read("power_now"), read("current_now"), read("voltage_now")];
    const micro = power ?? (current === null || voltage === null ? null : (current * voltage) / 1e6);
    if (micro === null) return null;
    // Some drivers give the current of a discharge as a negative number.
    watts += Math.abs(micro) / 1e6;
    discharging += 1;
  }
  return discharging === 0 ? null : watts;
}
