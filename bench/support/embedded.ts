import { dirname, join } from "node:path";
import { type BackendProcess, startProcess } from "./backend-process.ts";

const root = join(import.meta.dirname, "../..");

export type EmbeddedOptions = {
  /** The folder of functions. */
  readonly functions: string;
  /** Added to each read and each commit, ms. */
  readonly latency?: { readonly readMs: number; readonly commitMs: number };
};

/** Starts the embedded backend in a separate process, as its users run it. */
export function startEmbedded(dataFile: string, options: EmbeddedOptions): Promise<BackendProcess> {
  const { functions, latency = { readMs: 0, commitMs: 0 } } = options;
  return startProcess(dirname(dataFile), join(root, "packages/embedded/main.ts"), [
    ...["--convex", functions, "--data", dataFile],
    ...["--read-latency-ms", String(latency.readMs), "--commit-latency-ms", String(latency.commitMs)],
  ]);
}
