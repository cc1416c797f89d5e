import { join } from "node:path";

/** This module as it was written, and not in the bundle that `npm run build` makes of it: out/headless/headless.js. */
const isSource = import.meta.url.endsWith(".ts");
/** Both main/headless and out/headless lie two below the root. */
const root = join(import.meta.dirname, "../..");

/** Where the files of the donor without Electron are. */
export const headlessLocations = {
  runner: isSource
    ? join(root, "main/runner/runner-process.ts")
    : join(import.meta.dirname, "runner-process.js"),
  panel: join(root, "out/renderer"),
  // Of an installed program, whose own files are one archive, it lies beside that.
  demoModel: root.endsWith(".asar")
    ? join(root, "../demo-model/manifest.json")
    : join(root, "resources/demo-model/manifest.json"),
  package: join(root, "package.json"),
} as const;
