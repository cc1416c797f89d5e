import { basename } from "node:path";
import { known } from "../../../app/facts/facts.ts";
import { firstExcluded, programName } from "../base/program-names.ts";
import type { Sensor } from "../base/sensor.ts";
import { runSubprocess } from "../base/subprocess.ts";

/** Starts a subprocess every three minutes, but only if the rules name a program. */
export const macProcessesSensor: Sensor = {
  source: "ps",
  facts: ["excludedProgram"],
  everyMs: 180_000,
  subprocessEveryMs: 180_000,
  sample: async ({ programs }) => {
    const result = await runSubprocess("/bin/ps", ["-Axo", "comm="], { maxBytes: 1024 * 1024 });
    if (result.kind === "failed") return {};
    return { excludedProgram: known(firstExcluded(programs, parsePs(result.stdout))) };
  },
};

/** Each line is the path of a program. */
export function parsePs(text: string): ReadonlySet<string> {
  return new Set(text.split("\n").map((line) => programName(basename(line.trim()))));
}
