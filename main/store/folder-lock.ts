import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { uptime } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { startSentence } from "../../app/contract/sentences/start-sentences.ts";
import { parseJson } from "../../app/json.ts";
import { StartRefusal } from "./start-refusal.ts";

type FolderLock = { readonly release: () => Promise<void> };

const holder = z.object({
  pid: z.number().int().positive(),
  /** The start time of that process in the system's unit. Null if the system does not tell. */
  processStart: z.string().nullable(),
  /** The time of the lock, in ms since the epoch. */
  at: z.number(),
  /** The id of the machine's boot, if the system has one. */
  boot: z.string().nullable().default(null),
  nonce: z.string(),
});
type Holder = z.infer<typeof holder>;

/** Locks of this process. Its process id could not tell them from stale ones. */
const ours = new Set<string>();

/**
 * Locks the folder for this process. Takes over the lock of a process that is gone. Throws a `StartRefusal`
 * while another process holds it. It cannot see processes of other machines or containers.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, "gleaner.lock");
  if (ours.has(path)) throw inUse(folder, path);
  ours.add(path);
  try {
    return await take(folder, path);
  } catch (error) {
    ours.delete(path);
    throw error;
  }
}

/** Whether a running process holds the folder. A donor does so from its start on, before it can be called. */
export async function isFolderLocked(folder: string): Promise<boolean> {
  const found = await readOrNull(join(folder, "gleaner.lock"));
  const holder = found === null ? null : parseHolder(found);
  return holder !== null && (await isAlive(holder));
}

async function take(folder: string, path: string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const processStart = (await processOf(process.pid))?.start ?? null;
  const nonce = randomBytes(8).toString("hex");
  const text = `${JSON.stringify({ pid: process.pid, processStart, at: Date.now(), boot: await bootId(), nonce })}\n`;
  for (let time = 0; time < 5; time++) {
    try {
      await writeFile(path, text, { flag: "wx", mode: 0o600 });
      return {
        release: async () => {
          if ((await readOrNull(path)) === text) await rm(path, { force: true });
          ours.delete(path);
        },
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const found = await settledText(path);
    if (found === null) continue;
    const other = parseHolder(found);
    if (other !== null && (await isAlive(other))) throw inUse(folder, path);
    await setAside(path, found);
  }
  throw inUse(folder, path);
}

/** Removes the lock that was read, but not a newer one of another process. */
async function setAside(path: string, expected: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString("hex")}.stale`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if ((await readOrNull(aside)) === expected) await rm(aside, { force: true });
  else await rename(aside, path);
}

/** Reads the lock; null if none exists. Waits briefly for a lock that its owner has created but not written yet. */
async function settledText(path: string): Promise<string | null> {
  const text = await readOrNull(path);
  if (text === null || parseHolder(text) !== null) return text;
  await new Promise((resolve) => setTimeout(resolve, 200));
  return readOrNull(path);
}

async function isAlive({ pid, processStart, at, boot }: Holder): Promise<boolean> {
  // An earlier run had our process id. In containers programs often get the same one.
  if (pid === process.pid) return false;
  const thisBoot = await bootId();
  if (boot !== null && thisBoot !== null) {
    if (boot !== thisBoot) return false;
  } else if (at < Date.now() - uptime() * 1_000 - 60_000) return false;
  const found = await processOf(pid);
  return found !== null && (processStart === null || found.start === null || found.start === processStart);
}

/** Linux's id of this boot of the machine. Unlike a time, it does not depend on the clock. */
async function bootId(): Promise<string | null> {
  if (process.platform !== "linux") return null;
  return (await readOrNull("/proc/sys/kernel/random/boot_id").catch(() => null))?.trim() ?? null;
}

/** Null if no such process exists, or if it is a zombie. */
async function processOf(pid: number): Promise<{ readonly start: string | null } | null> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return null;
  }
  const stat = process.platform === "linux" ? await readOrNull(`/proc/${pid}/stat`) : null;
  if (stat === null) return { start: null };
  // The state follows the program's name, which may contain anything. The start time is 19 fields later.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? null : { start: fields[19] ?? null };
}

function parseHolder(text: string): Holder | null {
  return holder.safeParse(parseJson(text)).data ?? null;
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return null;
    throw error;
  }
}

function inUse(folder: string, path: string): StartRefusal {
  return new StartRefusal(startSentence("folder-in-use", folder, path));
}
