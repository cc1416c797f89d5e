import { sep } from "node:path";

export type StartCommand = readonly [program: string, ...args: string[]];

type Program = {
  readonly execPath: string;
  /** The checkout whose program a bare Electron runs. Null once packaged. */
  readonly checkout: string | null;
  /** Null for the program's usual folder. */
  readonly dataFolder: string | null;
  readonly env: NodeJS.ProcessEnv;
};

/** The command that starts this program again without a window. */
export function startCommand({ execPath, checkout, dataFolder, env }: Program): StartCommand {
  return [
    appImageOf(execPath, env) ?? execPath,
    ...(checkout === null ? [] : [checkout]),
    "--hidden",
    ...(dataFolder === null ? [] : ["--data", dataFolder]),
  ];
}

/** An AppImage runs from a folder that is there only meanwhile. A program that another AppImage started has its variables, too. */
function appImageOf(execPath: string, { APPIMAGE: image, APPDIR: folder }: NodeJS.ProcessEnv): string | null {
  if (!image || !folder) return null;
  return execPath.startsWith(folder + sep) ? image : null;
}
