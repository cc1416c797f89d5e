import { join, resolve } from "node:path";
import { desktopFolder } from "../desktop-folder.ts";

/** Whether this is part of the installed program's command, out/headless/gleaner.js, and of no checkout. */
export const installed = !import.meta.url.endsWith(".ts");

/** The checkout (or the installed program) that this file belongs to. */
export const root = resolve(import.meta.dirname, "../..");

export const paths = {
  backendEntry: join(root, "packages/embedded/main.ts"),
  headlessEntry: join(root, "main/headless.ts"),
  headlessBundle: join(root, "out/headless/headless.js"),
  desktopApp: root,
  convex: join(root, "convex"),
  console: join(root, "out/console"),
  panel: join(root, "out/renderer"),
  demoModel: join(root, "resources/demo-model"),
} as const;

/**
 * Where `npm start` keeps everything: GLEANER_DATA, or `.gleaner` in the checkout. The installed program's command works
 * with the desktop program's folder.
 */
export function defaultDataFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env["GLEANER_DATA"] ?? (installed ? desktopFolder(env) : join(root, ".gleaner")));
}
