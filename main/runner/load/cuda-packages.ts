import { existsSync } from "node:fs";
import * as modules from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** llama.cpp for CUDA. The package with `-ext` adds what older versions of CUDA need. */
const cudaPackage = /^@node-llama-cpp\/(?:linux|win)-x64-cuda(?:-ext)?$/;

/**
 * Lets node-llama-cpp find CUDA's packages in that folder, as if they were installed beside it. They are too large to
 * ship with the program. The library accepts only packages of its own version. A missing folder changes nothing.
 */
export function resolveCudaIn(folder: string | undefined): void {
  if (folder === undefined || !existsSync(folder)) return;
  const parentURL = pathToFileURL(join(folder, "package.json")).href;
  if ("registerHooks" in modules) {
    modules.registerHooks({
      resolve: (specifier, context, next) =>
        cudaPackage.test(specifier) ? next(specifier, { ...context, parentURL }) : next(specifier, context),
    });
    return;
  }
  resolveByLoaderThread(parentURL);
}

/** The same for Node 20 in older versions of Electron, where only a separate thread may resolve modules. */
function resolveByLoaderThread(parentURL: string): void {
  const loader = `
    const wanted = ${String(cudaPackage)};
    export const resolve = (specifier, context, next) =>
      next(specifier, wanted.test(specifier) ? { ...context, parentURL: ${JSON.stringify(parentURL)} } : context);`;
  // oxlint-disable-next-line typescript/no-deprecated -- Node 20 lacks its replacement
  modules.register(`data:text/javascript,${encodeURIComponent(loader)}`);
}
