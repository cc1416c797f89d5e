import { known, unknown } from "../../../app/facts/facts.ts";
import { systemProgram } from "../../system-programs.ts";
import type { OwnGpuUse } from "../base/own-use.ts";
import type { Found, Sensor } from "../base/sensor.ts";
import { runSubprocess } from "../base/subprocess.ts";

const query = ["--query-gpu=utilization.gpu,memory.free", "--format=csv,noheader,nounits"];

/**
 * NVIDIA's driver reports only through its own program. That runs once a minute while the donor works, and never
 * again if it is missing.
 */
export function nvidiaSensor(own: OwnGpuUse, program = systemProgram("nvidia-smi")): Sensor {
  let missing = false;
  return {
    source: "nvidia-smi",
    facts: ["otherGpuLoad", "vramFreeMb"],
    everyMs: 60_000,
    subprocessEveryMs: 60_000,
    onlyWhileDonating: true,
    sample: async () => {
      if (missing) return {};
      const result = await runSubprocess(program, query);
      if (result.kind === "failed") {
        missing = result.why === "missing";
        return {};
      }
      return parseNvidia(result.stdout, own());
    },
  };
}

/** One line per GPU: load in percent and free memory in MiB, or "[N/A]" for unknown values. */
export function parseNvidia(text: string, ownUse: boolean): Found {
  const rows = text
    .trim()
    .split("\n")
    .map((line) => line.split(",").map((cell) => (cell.trim() === "" ? NaN : Number(cell))));
  const loads = rows.flatMap(([load]) => (load !== undefined && load >= 0 && load <= 100 ? [load] : []));
  const free = rows.flatMap(([, mb]) => (mb !== undefined && mb >= 0 ? [mb] : []));
  return {
    otherGpuLoad: loads.length === 0 || ownUse ? unknown : known(Math.max(...loads) / 100),
    vramFreeMb: free.length === 0 ? unknown : known(Math.max(...free)),
  };
}
