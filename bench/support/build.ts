import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Builds the donor as `npm start` runs it without a desktop, in one file. */
export async function buildHeadless(): Promise<void> {
  const vite = join(root, "node_modules/vite/bin/vite.js");
  await run(process.execPath, [vite, "build", "--config", "vite.headless.config.ts"], { cwd: root });
}

/** Builds the desktop program. */
export async function buildDesktop(): Promise<void> {
  await run(process.execPath, [join(root, "node_modules/electron-vite/bin/electron-vite.js"), "build"], {
    cwd: root,
  });
}
