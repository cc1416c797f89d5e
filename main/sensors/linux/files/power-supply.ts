import { join } from "node:path";
import { known, unknown } from "../../../../app/facts/facts.ts";
import { listFolder, readNumber, readText } from "../../base/read-file.ts";
import type { Found, Sensed, Sensor } from "../../base/sensor.ts";

/** Mains and batteries as reported by the kernel. No subprocess. */
export function powerSupplySensor(folder = "/sys/class/power_supply"): Sensor {
  return {
    source: folder,
    facts: ["power", "batteryPercent"],
    everyMs: 30_000,
    sample: () => readPowerSupply(folder),
  };
}

/**
 * A computer without its own battery runs on mains power. A mouse's battery (scope "Device") does not count. The
 * percentage covers all batteries together, weighted by their reported capacity.
 */
export function readPowerSupply(folder: string): Found {
  const supplies = listFolder(folder).map((name) => join(folder, name));
  const batteries = supplies.filter(
    (path) => readText(join(path, "type")) === "Battery" && readText(join(path, "scope")) !== "Device",
  );
  if (batteries.length === 0) return { power: known("ac"), batteryPercent: unknown };
  const mains = supplies.filter((path) => {
    const type = readText(join(path, "type"));
    return (
      type === "Mains" || (type?.startsWith("USB") === true && readText(join(path, "scope")) !== "Device")
    );
  });
  const isOnline = mains.some((path) => (readNumber(join(path, "online")) ?? 0) > 0);
  const statuses = batteries.map((path) => readText(join(path, "status")));
  return {
    power: powerOf(isOnline, statuses),
    batteryPercent: percentOf(batteries),
  };
}

function powerOf(isOnline: boolean, statuses: readonly (string | null)[]): Sensed["power"] {
  if (isOnline) return known("ac");
  if (statuses.includes("Discharging")) return known("battery");
  // Without an online mains supply, a charging battery still means mains power.
  if (statuses.some((status) => status === "Charging")) return known("ac");
  return statuses.includes("Full") || statuses.includes("Not charging") ? known("battery") : unknown;
}

function percentOf(batteries: readonly string[]): Sensed["batteryPercent"] {
  let held = 0;
  let all = 0;
  for (const path of batteries) {
    const percent = readNumber(join(path, "capacity"));
    if (percent === null || percent < 0 || percent > 100) continue;
    const size = readNumber(join(path, "energy_full")) ?? readNumber(join(path, "charge_full")) ?? 1;
    held += percent * size;
    all += size;
  }
  return all > 0 ? known(Math.round(held / all)) : unknown;
}
