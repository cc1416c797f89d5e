import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** True in the installed program's command, out/headless/gleaner.js; false in a checkout. */
export const installed = !import.meta.url.endsWith(".ts");

/** The folder of the checkout, or of the installed program. */
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
 * The folder where `npm start` keeps all its data: GLEANER_DATA, or `.gleaner` in the checkout. The installed command
 * uses the desktop program's folder.
 */
export function defaultDataFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env["GLEANER_DATA"] ?? (installed ? desktopFolder(env) : join(root, ".gleaner")));
}

/** The folder in which Electron keeps the desktop program's data. */
export function desktopFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return join(env["APPDATA"] ?? join(homedir(), "AppData", "Roaming"), "gleaner");
  if (platform === "darwin") return join(homedir(), "Library", "Application Support", "gleaner");
  return join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "gleaner");
}
