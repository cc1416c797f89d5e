import { join } from "node:path";

/** The paths of the desktop program's own files. `here` is the folder of the built desktop.js: out/main. */
export function locations(here: string, resources: { readonly packaged: boolean; readonly path: string }) {
  const resourceFolder = resources.packaged ? resources.path : join(here, "../../resources");
  return {
    runner: join(here, "runner-process.js"),
    preload: join(here, "../preload/preload.cjs"),
    panel: join(here, "../renderer"),
    icons: join(resourceFolder, "icons"),
    demoModel: join(resourceFolder, "demo-model", "manifest.json"),
  };
}
