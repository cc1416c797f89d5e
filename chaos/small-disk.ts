import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The environment variable that names the small disk, in the program that runs on it. */
const diskVariable = "GLEANER_CHAOS_DISK";

/** The folder of the small disk that this program runs on; null if it runs on the ordinary one. */
export const smallDisk = process.env[diskVariable] ?? null;

/** Whether this machine lets us mount a disk of our own: Linux with user namespaces. */
export function canMount(): boolean {
  return spawnSync("unshare", [...ownMounts, "true"], { stdio: "ignore" }).status === 0;
}

const ownMounts = ["--map-root-user", "--mount"];

/**
 * The command that runs another one with a disk of `megabytes` in memory at this folder, which only that command and its children
 * see.
 */
export function onSmallDisk(
  folder: string,
  megabytes: number,
  command: readonly string[],
): readonly string[] {
  const mount = `mount -t tmpfs -o size=${String(megabytes)}m tmpfs "$0" && exec "$@"`;
  return ["unshare", ...ownMounts, "sh", "-c", mount, folder, ...command];
}

/**
 * Runs this program again with its temporary folder on a disk of `megabytes` in memory, which only the new program and its
 * children see. Resolves to its exit code.
 */
export async function runOnSmallDisk(megabytes: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "gleaner-disk-"));
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const [command = "", ...args] = onSmallDisk(folder, megabytes, self);
  const child = spawn(command, args, {
    env: { ...process.env, [diskVariable]: folder, TMPDIR: folder },
    stdio: "inherit",
  });
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode) => resolve(exitCode ?? 1));
  });
  await rm(folder, { recursive: true, force: true });
  return code;
}

/** Writes a file until the disk has no byte left. Returns how to remove it. */
export async function fillDisk(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, "ballast");
  const file = await open(path, "w");
  // Smaller and smaller pieces use up the last bytes, too.
  for (const bytes of [1 << 20, 1 << 12, 1]) {
    const piece = Buffer.alloc(bytes);
    while (await fits(file.write(piece)));
  }
  await file.close();
  return async () => await rm(path);
}

async function fits(written: Promise<{ readonly bytesWritten: number }>): Promise<boolean> {
  try {
    return (await written).bytesWritten > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return false;
    throw error;
  }
}
