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

export async function runnerThreads(): Promise<number> {
  const usable = availableParallelism();
  const cpu = await systeminformation.cpu().catch(() => null);
  return chooseThreads(cpu?.physicalCores || usable, usable, process.env["GLEANER_THREADS"]);
}
