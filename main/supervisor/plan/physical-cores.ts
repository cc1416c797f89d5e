import { createRequire } from "node:module";
import type { Systeminformation } from "systeminformation";
import * as z from "zod";
import { parseJson } from "../../../app/json.ts";
import { runSubprocess } from "../../sensors/base/subprocess.ts";
import { systemEnvironment } from "../../system-programs.ts";

/** The physical cores of this computer's processors; null if unknown. */
export type Cores = {
  readonly physical: number | null;
  /** Of these, the ones that are slower and save energy. 0 where there are none, or where the system does not tell. */
  readonly efficiency: number | null;
};

/** The part of systeminformation's answer that Gleaner uses. */
const answer = z.object({
  physicalCores: z.number().int().min(1).max(9_999),
  efficiencyCores: z.number().int().min(0).max(9_999),
} satisfies Partial<Record<keyof Systeminformation.CpuData, z.ZodType>>);

const script = "require(process.argv[1]).cpu().then((cpu) => console.log(JSON.stringify(cpu)))";

/**
 * Asks systeminformation. It starts lscpu, sysctl and others through a shell and by the search path, where a planted
 * program could be found first. So it runs in a short-lived process whose search path has only the system's folders.
 * @param node the program to run it: Node, or Electron as Node.
 * @param library the path of systeminformation's main file.
 */
export async function coresOfThisComputer(
  node = process.execPath,
  library = createRequire(import.meta.url).resolve("systeminformation"),
): Promise<Cores> {
  const result = await runSubprocess(node, ["-e", script, library], {
    timeoutMs: 20_000,
    env: { ...systemEnvironment(), ELECTRON_RUN_AS_NODE: "1" },
  });
  return result.kind === "ok" ? parseCores(result.stdout) : unknownCores;
}

const unknownCores: Cores = { physical: null, efficiency: null };

/** @param text systeminformation's `CpuData` as JSON. */
export function parseCores(text: string): Cores {
  const parsed = answer.safeParse(parseJson(text));
  if (!parsed.success) return unknownCores;
  return { physical: parsed.data.physicalCores, efficiency: parsed.data.efficiencyCores };
}
