import { join } from "node:path";
import { startProcess, type BackendProcess } from "../support/backend-process.ts";

const root = join(import.meta.dirname, "../..");
const benchFunctions = join(root, "bench/convex");

export function startEmbedded(dataFile: string, functions = benchFunctions): Promise<BackendProcess> {
  return startProcess(join(root, "embedded/main.ts"), ["--convex", functions, "--data", dataFile]);
}

/** Gleaner's own backend. */
export const gleanerFunctions = join(root, "convex");

export function startConvexTest(): Promise<BackendProcess> {
  return startProcess(join(root, "bench/peers/convex-test.ts"), ["--convex", benchFunctions]);
}
