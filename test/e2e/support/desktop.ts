import { _electron, type ElectronApplication } from "@playwright/test";
import { paths } from "../../../launch/core/paths.ts";

/** Chromium has no sandbox for root. For other users it stays on. */
const electronArguments = process.getuid?.() === 0 ? ["--no-sandbox", "--disable-gpu"] : ["--disable-gpu"];

/** Starts the built desktop program in a real Electron. */
export async function startDesktop(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ElectronApplication> {
  return await _electron.launch({
    args: [
      paths.desktopApp,
      ...(process.env["GLEANER_ELECTRON_ARGS"]?.split(" ") ?? electronArguments),
      ...args,
    ],
    env: { ...(process.env as Record<string, string>), GLEANER_THREADS: "1", ...env },
  });
}
