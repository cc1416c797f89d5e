import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { _electron, type ElectronApplication } from "@playwright/test";
import { paths } from "../../../launch/core/paths.ts";
import { donorStartLine } from "../../../main/headless/start-line.ts";

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

/** Starts the program a second time, with the same data folder. Resolves to its exit code and its reason, if it gives one. */
export async function startAgain(
  app: ElectronApplication,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly why: string | null }> {
  const executable = await app.evaluate(() => process.execPath);
  const second = spawn(executable, [paths.desktopApp, ...electronArguments, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
    env: environment({}),
  });
  const printed = text(second.stdout);
  const [code] = (await once(second, "exit")) as [number | null];
  const line = (await printed).split("\n").find((each) => each.startsWith("{")) ?? "null";
  const report = donorStartLine.safeParse(JSON.parse(line)).data;
  return { code, why: report?.ready === false ? report.why : null };
}

function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  return { ...(process.env as Record<string, string>), GLEANER_THREADS: "1", ...env };
}
