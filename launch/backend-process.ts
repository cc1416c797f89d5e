import { join } from "node:path";

/**
 * Node's flags for the backend. A young generation that may grow to 48 MB, as it may by default, stays that large
 * when all is quiet. With half of that collections take no more time; with a quarter they do.
 */
export const backendFlags: readonly string[] = ["--max-semi-space-size=8"];

/** Node then neither strips nor compiles what it did before: a quicker start, and 15 MB less for the compiler. */
export function compileCache(dataFolder: string): NodeJS.ProcessEnv {
  return { NODE_COMPILE_CACHE: join(dataFolder, "compiled") };
}
