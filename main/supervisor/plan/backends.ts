import type { Backend } from "../../../app/contract/runner.ts";

/**
 * What to compute with, the fastest first. Which of them this machine has is found out where a model is loaded: the
 * libraries say so themselves. Metal on Macs of Apple's own processors only: on others it is slower than their CPU.
 */
export function backendOrder(machine: {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** Whether the rules allow a GPU. */
  readonly gpu: boolean;
  /** Whether they deny one GPU among several: CUDA alone can leave one out without knowing how many there are. */
  readonly someDenied?: boolean;
  /** It ended the runner's process when it was used last. */
  readonly gpuCrashed: boolean;
}): readonly Backend[] {
  const { platform, arch, gpu, someDenied = false, gpuCrashed } = machine;
  if (!gpu || gpuCrashed) return ["cpu"];
  if (someDenied) return arch === "x64" && platform !== "darwin" ? ["cuda", "cpu"] : ["cpu"];
  if (platform === "darwin") return arch === "arm64" ? ["metal", "cpu"] : ["cpu"];
  if (platform === "linux" || platform === "win32") {
    return arch === "x64" ? ["cuda", "vulkan", "cpu"] : ["vulkan", "cpu"];
  }
  return ["cpu"];
}

/**
 * How many jobs one context should hold at once. More of them together make more tokens a second, and each of them
 * fewer: on one thread there is next to nothing to gain. Whether a model is on a GPU, where there would be more, is only
 * known once it is loaded. `override` is the value of GLEANER_SEQUENCES.
 */
export function chooseSequences(threads: number, override?: string): number {
  const asked = Number(override);
  if (Number.isInteger(asked) && asked >= 1 && asked <= mostSequences) return asked;
  if (threads >= 4) return 4;
  return threads >= 2 ? 2 : 1;
}

/** A worker of the queue holds 16 jobs at most. */
const mostSequences = 16;
