import { availableParallelism } from "node:os";
import systeminformation from "systeminformation";

/**
 * How many threads the runner may use: one physical core stays free for everybody else, since llama.cpp's
 * threads spin while they wait for each other, and one that has to share its core slows all the others.
 * `override` is the value of GLEANER_THREADS; anything but a whole number from 1 to 256 is ignored.
 */
export function chooseThreads(physicalCores: number, usableCores: number, override?: string): number {
  const asked = Number(override);
  if (Number.isInteger(asked) && asked >= 1 && asked <= 256) return asked;
  return Math.max(1, Math.min(physicalCores, usableCores) - 1);
}

/**
 * Physical cores on which the runner may be: macOS keeps what works in the background (priority.ts) on the efficient ones,
 * of processors that have some. 0: not known.
 */
export function runnerCores(
  platform: NodeJS.Platform,
  cpu: { readonly physicalCores?: number; readonly efficiencyCores?: number | undefined } | null,
): number {
  const { physicalCores = 0, efficiencyCores = 0 } = cpu ?? {};
  return platform === "darwin" && efficiencyCores > 0 ? efficiencyCores : physicalCores;
}

export async function runnerThreads(): Promise<number> {
  const usable = availableParallelism();
  const cpu = await systeminformation.cpu().catch(() => null);
  return chooseThreads(runnerCores(process.platform, cpu) || usable, usable, process.env["GLEANER_THREADS"]);
}
