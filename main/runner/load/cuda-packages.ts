import { existsSync } from "node:fs";
import * as modules from "node:module";
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
  if ("registerHooks" in modules) {
    modules.registerHooks({
      resolve: (specifier, context, next) =>
        cudaPackage.test(specifier) ? next(specifier, { ...context, parentURL }) : next(specifier, context),
    });
    return;
  }
  lookByLoader(parentURL);
}

/** The same for the Node 20 of older Electrons, which only lets a thread of its own say where modules are. */
function lookByLoader(parentURL: string): void {
  const loader = `
    const wanted = ${String(cudaPackage)};
    export const resolve = (specifier, context, next) =>
      next(specifier, wanted.test(specifier) ? { ...context, parentURL: ${JSON.stringify(parentURL)} } : context);`;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- what replaces it is not there yet, see above
  modules.register(`data:text/javascript,${encodeURIComponent(loader)}`);
}
