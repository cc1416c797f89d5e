import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockFolder } from "./folder-lock.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-lock-"));
  path = join(folder, "gleaner.lock");
});
afterEach(() => rm(folder, { recursive: true }));

const heldBy = (pid: number, processStart: string | null = null, at = Date.now()): Promise<void> =>
  writeFile(path, JSON.stringify({ pid, processStart, at, nonce: "x" }));

describe("the lock of a folder", () => {
  it("is taken by one at a time, and removed on release", async () => {
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow("Another Gleaner already uses this folder");
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
    await (await lockFolder(folder)).release();
  });

  it("is refused while the process that holds it lives, and taken over after its end", async () => {
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    await heldBy(other.pid!);
    await expect(lockFolder(folder)).rejects.toThrow("Another Gleaner");
    const gone = new Promise((resolve) => other.once("exit", resolve));
    other.kill("SIGKILL");
    await gone;
    const lock = await lockFolder(folder);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ pid: process.pid });
    expect(await readdir(folder)).toEqual(["gleaner.lock"]);
    await lock.release();
  });

  it("is taken over if it is older than the machine's start, has our own process id, or is unreadable", async () => {
    await heldBy(process.ppid, null, 1);
    await (await lockFolder(folder)).release();
    await heldBy(process.pid);
    await (await lockFolder(folder)).release();
    await writeFile(path, "");
    await (await lockFolder(folder)).release();
  });

  it.runIf(process.platform === "linux")(
    "is kept when the clock was set meanwhile, and taken over after a restart of the machine",
    async () => {
      const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
      const long = { pid: process.ppid, processStart: null, at: 1, nonce: "x" };
      await writeFile(path, JSON.stringify({ ...long, boot }));
      await expect(lockFolder(folder)).rejects.toThrow("Another Gleaner");
      await writeFile(path, JSON.stringify({ ...long, at: Date.now(), boot: "another" }));
      await (await lockFolder(folder)).release();
    },
  );

  it.runIf(process.platform === "linux")(
    "is taken over if another process has its process id now",
    async () => {
      await heldBy(process.ppid, "1");
      await (await lockFolder(folder)).release();
    },
  );

  it("goes to only one of several callers in this process that find it stale at the same time", async () => {
    await heldBy(2 ** 22 + 1);
    const taken = await Promise.allSettled(Array.from({ length: 5 }, () => lockFolder(folder)));
    const locks = taken.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(locks).toHaveLength(1);
    await locks[0]!.release();
  });
});
