import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** llama.cpp for CUDA; `-ext` has what older CUDAs need. */
const cudaPackage = /^@node-llama-cpp\/(?:linux|win)-x64-cuda(?:-ext)?$/;

/**
 * Tells the runner where CUDA's libraries are, which are too large to be installed with the program: a folder into
 * which npm has put them. The folder `cuda` beside the device's key, where GLEANER_CUDA names no other.
 */
export function cudaEnvironment(
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Readonly<Record<"GLEANER_CUDA", string>> {
  return { GLEANER_CUDA: env["GLEANER_CUDA"] ?? join(dataDir, "cuda") };
}

/**
 * From now on node-llama-cpp finds CUDA's packages in that folder, as if they were installed beside it. It takes only
 * those of its own version. Does nothing where there is no such folder.
 */
export function lookForCudaIn(folder: string | undefined): void {
  if (folder === undefined || !existsSync(folder)) return;
  const parentURL = pathToFileURL(join(folder, "package.json")).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      cudaPackage.test(specifier) ? next(specifier, { ...context, parentURL }) : next(specifier, context),
  });
}
