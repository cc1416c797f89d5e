/** More GPUs than one computer holds. */
const mostGpus = 64;

/**
 * What hides GPUs from CUDA in a process that is to be started; nothing where none is denied. The list ends for CUDA at
 * the first number that is no GPU, so that it need not be known how many there are.
 * @param denied by the number that the system's own tools show, which is by the place on the bus.
 */
export function gpuEnvironment(denied: readonly number[]): Readonly<Record<string, string>> {
  if (denied.length === 0) return {};
  const allowed = Array.from({ length: mostGpus }, (_, index) => index).filter(
    (index) => !denied.includes(index),
  );
  return { CUDA_DEVICE_ORDER: "PCI_BUS_ID", CUDA_VISIBLE_DEVICES: allowed.join(",") };
}
