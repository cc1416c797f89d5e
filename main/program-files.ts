import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The paths of the program's own files.
 * @param entry the running file: main/NAME.ts, or a bundle of it in a folder below out/.
 */
export function programFiles(entry: string) {
  const here = dirname(entry);
  const isSource = entry.endsWith(".ts");
  const root = join(here, isSource ? ".." : "../..");
  // An installed program is one archive with its resources next to it.
  const resources = root.endsWith(".asar") ? dirname(root) : join(root, "resources");
  return {
    runner: join(here, isSource ? "runner/runner-process.ts" : "runner-process.js"),
    preload: join(root, "out/preload/preload.cjs"),
    panel: join(root, "out/renderer"),
    icons: join(resources, "icons"),
    demoModel: join(resources, "demo-model/manifest.json"),
    updates: join(resources, "updates.json"),
    package: join(root, "package.json"),
  };
}

/** The program's version. Electron's own answer is wrong in a checkout, where it finds no package of the program. */
export function programVersion(packageFile: string): string {
  return (JSON.parse(readFileSync(packageFile, "utf8")) as { version: string }).version;
}
