import { basename, join } from "node:path";
import { known } from "../../../../app/facts/facts.ts";
import { firstExcluded, programName } from "../../base/program-names.ts";
import { listFolder, readText } from "../../base/read-file.ts";
import type { Sensor } from "../../base/sensor.ts";

/** The kernel cuts program names off after 15 bytes. The command line has the full name. */
const shortNameBytes = 15;

/** Reads the running programs of all users from /proc. No subprocess. */
export function linuxProcessesSensor(folder = "/proc"): Sensor {
  return {
    source: folder,
    facts: ["excludedProgram"],
    everyMs: 60_000,
    sample: ({ programs }) => ({ excludedProgram: known(firstExcluded(programs, runningNames(folder))) }),
  };
}

function runningNames(folder: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const pid of listFolder(folder)) {
    if (!/^\d+$/.test(pid)) continue;
    const name = readText(join(folder, pid, "comm"));
    if (name === null) continue;
    names.add(programName(name));
    if (Buffer.byteLength(name) < shortNameBytes) continue;
    const program = readText(join(folder, pid, "cmdline"))?.split("\0")[0];
    if (program !== undefined && program !== "") names.add(programName(basename(program)));
  }
  return names;
}
