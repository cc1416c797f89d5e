import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The package with llama.cpp's libraries for this system. */
export const packageName = `@node-llama-cpp/linux-${process.arch}`;
/** The variable with the folder from which a runner takes that package. */
export const packageVariable = "GLEANER_BENCH_LIBRARIES";

const folder = process.env[packageVariable];
if (folder !== undefined) {
  const url = pathToFileURL(join(folder, "dist/index.js")).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === packageName ? { url, shortCircuit: true } : next(specifier, context),
  });
}
