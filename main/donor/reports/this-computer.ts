import { arch, cpus, platform, release, totalmem } from "node:os";
import type { CallAnswer } from "../../../app/contract/donor-calls.ts";
import { platformWords } from "../../../app/format/platform.ts";

type Known = {
  readonly backendUrl: string;
  /** GPU memory that models may use, in MiB. */
  readonly gpuMemoryMb: number | null;
  /** Measurements of models on this computer. */
  readonly speeds: readonly { readonly backend: string }[];
};

/** Describes this computer. Keeps only the origin of the backend's address: the rest of it can contain a code or a password. */
export function thisComputer({ backendUrl, gpuMemoryMb, speeds }: Known): CallAnswer<"computer"> {
  const processors = cpus();
  return {
    system: `${platformWords(platform())} ${release()}, ${arch()}`,
    processor: processors[0]?.model.trim() ?? "",
    threads: processors.length,
    memoryMb: Math.floor(totalmem() / 2 ** 20),
    gpu: { memoryMb: gpuMemoryMb, backends: [...new Set(speeds.map(({ backend }) => backend))].toSorted() },
    backend: originOf(backendUrl),
  };
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
