import { spawn } from "node:child_process";
import { once } from "node:events";
import { _electron, type ElectronApplication } from "@playwright/test";
import { paths } from "../../../launch/core/paths.ts";

/** Chromium has no sandbox for root. For other users it stays on. */
export const electronArguments =
  process.env["GLEANER_ELECTRON_ARGS"]?.split(" ") ??
  (process.getuid?.() === 0 ? ["--no-sandbox", "--disable-gpu"] : ["--disable-gpu"]);

/** Starts the built desktop program in a real Electron. */
export async function startDesktop(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ElectronApplication> {
  return await _electron.launch({
    args: [paths.desktopApp, ...electronArguments, ...args],
    env: environment(env),
  });
}

/** Starts the program by a command of its own, such as that of a session. */
export async function startByCommand(
  [executablePath, ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ElectronApplication> {
  return await _electron.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [...args, ...electronArguments],
    env: environment(env),
  });
}

/** Starts the program a second time, with the same data folder. Resolves to its exit code. */
export async function startAgain(app: ElectronApplication, args: readonly string[]): Promise<number | null> {
  const executable = await app.evaluate(() => process.execPath);
  const second = spawn(executable, [paths.desktopApp, ...electronArguments, ...args], {
    stdio: "ignore",
    env: environment({}),
  });
  const [code] = (await once(second, "exit")) as [number | null];
  return code;
}

function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  return { ...(process.env as Record<string, string>), GLEANER_THREADS: "1", ...env };
}
