import { join } from "node:path";

/** More GPUs than a computer has. */
const mostGpus = 64;

/**
 * Hides GPUs from CUDA in the runner; empty if none is denied. CUDA stops reading the list at the first number that is
 * not a GPU, so the real count need not be known.
 * @param denied numbers as the system's own tools show them, in the order of the bus.
 */
export function gpuEnvironment(denied: readonly number[]): Readonly<Record<string, string>> {
  if (denied.length === 0) return {};
  const allowed = Array.from({ length: mostGpus }, (_, index) => index).filter(
    (index) => !denied.includes(index),
  );
  return { CUDA_DEVICE_ORDER: "PCI_BUS_ID", CUDA_VISIBLE_DEVICES: allowed.join(",") };
}

/**
 * Tells the runner in which folder npm has put CUDA's libraries: GLEANER_CUDA, or `cuda` beside the device's key. They
 * are too large to ship with the program.
 */
export function cudaEnvironment(
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Readonly<Record<"GLEANER_CUDA", string>> {
  return { GLEANER_CUDA: env["GLEANER_CUDA"] ?? join(dataDir, "cuda") };
}
