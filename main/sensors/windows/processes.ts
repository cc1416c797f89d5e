import { known } from "../../../app/facts/facts.ts";
import { systemProgram } from "../../system-programs.ts";
import { firstExcluded, programName } from "../base/program-names.ts";
import type { Sensor } from "../base/sensor.ts";
import { runSubprocess } from "../base/subprocess.ts";

/** Starts a subprocess every four minutes, but only if the rules name a program. */
export const windowsProcessesSensor: Sensor = {
  source: "tasklist",
  facts: ["excludedProgram"],
  everyMs: 240_000,
  subprocessEveryMs: 240_000,
  sample: async ({ programs }) => {
    const result = await runSubprocess(systemProgram("tasklist", "win32"), ["/fo", "csv", "/nh"], {
      maxBytes: 1024 * 1024,
    });
    if (result.kind === "failed") return {};
    return { excludedProgram: known(firstExcluded(programs, parseTasklist(result.stdout))) };
  },
};

/** `"Teams.exe","4312","Console","1","204,512 K"`, one line each. */
export function parseTasklist(text: string): ReadonlySet<string> {
  const names = text.split(/\r?\n/).flatMap((line) => {
    const name = /^"([^"]+)"/.exec(line)?.[1];
    return name === undefined ? [] : [programName(name)];
  });
  return new Set(names);
}
