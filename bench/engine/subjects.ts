import { join } from "node:path";
import { type BackendProcess, startProcess } from "../support/backend-process.ts";
import { type EmbeddedOptions, startEmbedded as startBackend } from "../support/embedded.ts";

const root = join(import.meta.dirname, "../..");
const benchFunctions = join(root, "bench/convex");
/** Gleaner's own backend. */
export const gleanerFunctions = join(root, "convex");

/** The embedded backend, with the benchmark's own functions by default. */
export function startEmbedded(
  dataFile: string,
  options: Partial<EmbeddedOptions> = {},
): Promise<BackendProcess> {
  return startBackend(dataFile, { functions: benchFunctions, ...options });
}

/** The peer. Node's compile cache goes to `folder`; the data stay in memory. */
export function startConvexTest(folder: string): Promise<BackendProcess> {
  return startProcess(folder, join(root, "bench/peers/convex-test.ts"), ["--convex", benchFunctions]);
}
