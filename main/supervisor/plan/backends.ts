import type { Backend } from "../../../app/contract/speed.ts";

/**
 * The backends to try, the fastest first. A load finds out which of them this machine has. Metal only on Apple's own
 * processors: on other Macs it is slower than the CPU.
 */
export function backendOrder(machine: {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** Whether the rules allow a GPU. */
  readonly gpu: boolean;
  /** Whether the rules deny one of several GPUs. Only CUDA can leave one out without knowing their number. */
  readonly someDenied?: boolean;
}): readonly Backend[] {
  const { platform, arch, gpu, someDenied = false } = machine;
  if (!gpu) return ["cpu"];
  if (someDenied) return arch === "x64" && platform !== "darwin" ? ["cuda", "cpu"] : ["cpu"];
  if (platform === "darwin") return arch === "arm64" ? ["metal", "cpu"] : ["cpu"];
  if (platform === "linux" || platform === "win32") {
    return arch === "x64" ? ["cuda", "vulkan", "cpu"] : ["vulkan", "cpu"];
  }
  return ["cpu"];
}
