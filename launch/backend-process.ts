import { join } from "node:path";

/**
 * Node's flags for the backend. A young generation that may grow to 48 MB, as it may by default, stays that large
 * when all is quiet; what the backend makes between two collections is far less.
 */
export const backendFlags: readonly string[] = ["--max-semi-space-size=4"];

/** Node then neither strips nor compiles what it did before: a quicker start, and 15 MB less for the compiler. */
export function compileCache(dataFolder: string): NodeJS.ProcessEnv {
  return { NODE_COMPILE_CACHE: join(dataFolder, "compiled") };
}
