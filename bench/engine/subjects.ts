import { dirname, join } from "node:path";
import { startProcess, type BackendProcess } from "../support/backend-process.ts";

const root = join(import.meta.dirname, "../..");
const benchFunctions = join(root, "bench/convex");
/** Gleaner's own backend. */
export const gleanerFunctions = join(root, "convex");

export type EmbeddedOptions = {
  /** The folder of functions; the benchmark's own unless told otherwise. */
  readonly functions?: string;
  /** Added to each read and each commit, ms. */
  readonly latency?: { readonly readMs: number; readonly commitMs: number };
};

export function startEmbedded(dataFile: string, options: EmbeddedOptions = {}): Promise<BackendProcess> {
  const { functions = benchFunctions, latency = { readMs: 0, commitMs: 0 } } = options;
  return startProcess(dirname(dataFile), join(root, "embedded/main.ts"), [
    ...["--convex", functions, "--data", dataFile],
    ...["--read-latency-ms", String(latency.readMs), "--commit-latency-ms", String(latency.commitMs)],
  ]);
}

/** The peer. `folder` is for what Node keeps; there is no data on disk. */
export function startConvexTest(folder: string): Promise<BackendProcess> {
  return startProcess(folder, join(root, "bench/peers/convex-test.ts"), ["--convex", benchFunctions]);
}
