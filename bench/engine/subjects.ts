import { join } from "node:path";
import { type BackendProcess, startProcess } from "../support/backend-process.ts";
import { type EmbeddedOptions, startEmbedded as startBackend } from "../support/embedded.ts";

const root = join(import.meta.dirname, "../..");
const benchFunctions = join(root, "bench/convex");
/** Gleaner's own backend. */
export const gleanerFunctions = join(root, "convex");

/** The benchmark's own functions, unless told otherwise. */
export function startEmbedded(
  dataFile: string,
  options: Partial<EmbeddedOptions> = {},
): Promise<BackendProcess> {
  return startBackend(dataFile, { functions: benchFunctions, ...options });
}

/** The peer. `folder` is for what Node keeps; there is no data on disk. */
export function startConvexTest(folder: string): Promise<BackendProcess> {
  return startProcess(folder, join(root, "bench/peers/convex-test.ts"), ["--convex", benchFunctions]);
}
