import { availableParallelism } from "node:os";
import { maxHeld } from "@gleaner/queue/worker";
import { type Cores, coresOfThisComputer } from "./physical-cores.ts";

/** The threads that the runner may use on this machine. */
export async function runnerThreads(): Promise<number> {
  const usable = availableParallelism();
  const cores = runnerCores(process.platform, await coresOfThisComputer());
  return chooseThreads(cores ?? usable, usable, process.env["GLEANER_THREADS"]);
}

/**
 * One physical core stays free for other programs. llama.cpp's threads spin while they wait for each other, so a single
 * thread that has to share its core slows down all the others.
 * @param override GLEANER_THREADS; ignored unless it is a whole number from 1 to 256.
 */
export function chooseThreads(physicalCores: number, usableCores: number, override?: string): number {
  const wanted = Number(override);
  if (Number.isInteger(wanted) && wanted >= 1 && wanted <= 256) return wanted;
  return Math.max(1, Math.min(physicalCores, usableCores) - 1);
}

/**
 * The physical cores that the runner may use; null if unknown. macOS keeps background work on the efficiency cores of
 * processors that have some.
 */
export function runnerCores(platform: NodeJS.Platform, { physical, efficiency }: Cores): number | null {
  return platform === "darwin" && efficiency !== null && efficiency > 0 ? efficiency : physical;
}

/**
 * How many jobs one context should hold at once. More jobs generate more tokens a second together, but each job is
 * slower, and on one thread there is nearly nothing to gain. A GPU would gain from more, but whether a model runs on the
 * GPU is only known after its load.
 * @param override GLEANER_SEQUENCES; ignored unless it is a whole number from 1 to `maxHeld`.
 */
export function chooseSequences(threads: number, override?: string): number {
  const wanted = Number(override);
  if (Number.isInteger(wanted) && wanted >= 1 && wanted <= maxHeld) return wanted;
  if (threads >= 4) return 4;
  return threads >= 2 ? 2 : 1;
}
