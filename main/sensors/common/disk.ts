import { statfs } from "node:fs/promises";
import { known } from "../../../app/facts/facts.ts";
import type { Sensor } from "../base/sensor.ts";

/** The space that this user may still use on the folder's disk. */
export function diskSensor(folder: string): Sensor {
  return {
    source: "the file system's own count",
    facts: ["diskFreeMb"],
    everyMs: 300_000,
    sample: async () => {
      try {
        const { bavail, bsize } = await statfs(folder);
        return { diskFreeMb: known(Math.floor((bavail * bsize) / (1024 * 1024))) };
      } catch {
        return {};
      }
    },
  };
}
