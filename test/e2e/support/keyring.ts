import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "@playwright/test";
import { paths } from "../../../launch/core/paths.ts";
import { electronArguments } from "./desktop.ts";
import { startAsBrowser } from "./desktop-as-browser.ts";

const program = "gnome-keyring-daemon";

/** Whether this computer has the keyring of GNOME, which the tests start. */
export function hasKeyring(): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
}

/**
 * Starts an empty, unlocked keyring on the session bus of the test. It keeps its files in `folder`, so that the keyring of the
 * person who runs the test stays untouched.
 */
export async function startKeyring(folder: string): Promise<{ readonly stop: () => void }> {
  const child: ChildProcess = spawn(program, ["--foreground", "--unlock", "--components=secrets"], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_RUNTIME_DIR: folder },
  });
  child.stdin?.end("a password");
  for (let attempt = 0; attempt < 50; attempt++) {
    if (isOnBus()) return { stop: () => void child.kill() };
    await sleep(100);
  }
  child.kill();
  throw new Error("the keyring did not appear on the session bus");
}

function isOnBus(): boolean {
  const call = [
    "--session",
    "--dest=org.freedesktop.DBus",
    "--print-reply",
    "/",
    "org.freedesktop.DBus.GetNameOwner",
  ];
  return (
    spawnSync("dbus-send", [...call, "string:org.freedesktop.secrets"], { stdio: "ignore" }).status === 0
  );
}

/** Starts the built desktop program with this keyring. */
export async function startWithKeyring(
  executable: string,
  args: readonly string[],
): Promise<{ readonly window: Page; readonly stop: () => Promise<unknown> }> {
  const app = await startAsBrowser(
    [executable, paths.desktopApp, ...electronArguments, "--password-store=gnome-libsecret", ...args],
    { ...process.env, GLEANER_THREADS: "1" },
  );
  return { window: await app.window(), stop: app.stop };
}
