import { join } from "node:path";
import { known, unknown } from "../../../../app/facts/facts.ts";
import { listFolder, readText } from "../../base/read-file.ts";
import type { Sensor } from "../../base/sensor.ts";

/** The lid switch as reported by ACPI. */
export function acpiLidSensor(folder = "/proc/acpi/button/lid"): Sensor {
  return {
    source: folder,
    facts: ["lidClosed"],
    everyMs: 30_000,
    sample: () => {
      const states = listFolder(folder).map((name) => readText(join(folder, name, "state")));
      const lid = states.find((state) => state !== null) ?? "";
      if (!/open|closed/.test(lid)) return { lidClosed: unknown };
      return { lidClosed: known(lid.includes("closed")) };
    },
  };
}
