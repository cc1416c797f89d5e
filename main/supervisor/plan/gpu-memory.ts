import type { Backend } from "../../../app/contract/speed.ts";

/** The share of a GPU's free memory that stays free for other programs, as in RAM. */
const freeShare = 0.15;

export type GpuNow = {
  /** The backends that a load may use now. Only the CPU, if the rules or other programs keep the GPU. */
  readonly backends: readonly Backend[];
  /** Free memory of the GPU, in MiB. Null if it is unknown or may not be used. */
  readonly freeMb: number | null;
};

/**
 * Bytes of a GPU's own memory that a model may take. Null if no GPU may be used, if its free memory is unknown, and on
 * Apple's processors: their GPU shares the computer's memory, which the fit counts as RAM.
 */
export function gpuMemoryForModels({ backends, freeMb }: GpuNow): number | null {
  if (freeMb === null || backends.includes("metal")) return null;
  if (backends.every((backend) => backend === "cpu")) return null;
  return Math.floor(freeMb * 2 ** 20 * (1 - freeShare));
}
