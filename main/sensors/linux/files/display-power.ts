import { join } from "node:path";
import { type Known, known, unknown } from "../../../../app/facts/facts.ts";
import { listFolder, readText } from "../../base/read-file.ts";
import type { Sensor } from "../../base/sensor.ts";

/** Whether all connected screens are dark. Works on X11, on Wayland and on the console. */
export function displayPowerSensor(folder = "/sys/class/drm"): Sensor {
  return {
    source: `${folder}/*/dpms`,
    facts: ["displayOff"],
    everyMs: 60_000,
    sample: () => ({ displayOff: readDisplayOff(folder) }),
  };
}

function readDisplayOff(folder: string): Known<boolean> {
  const screens = listFolder(folder)
    .map((name) => join(folder, name))
    .filter((path) => readText(join(path, "status")) === "connected")
    .map((path) => readText(join(path, "dpms")))
    .filter((state) => state !== null);
  return screens.length === 0 ? unknown : known(screens.every((state) => state !== "On"));
}
