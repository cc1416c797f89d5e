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
  it("is taken by one at a time, and gone after", async () => {
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow("Another Gleaner already uses this folder");
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
    await (await lockFolder(folder)).release();
  });

  it("is refused while another process that holds it lives, and taken over once that is gone", async () => {
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

  it("is taken over from before the machine's start, from our own number, and where it is unreadable", async () => {
    await heldBy(process.ppid, null, 1);
    await (await lockFolder(folder)).release();
    await heldBy(process.pid);
    await (await lockFolder(folder)).release();
    await writeFile(path, "");
    await (await lockFolder(folder)).release();
  });

  it.runIf(process.platform === "linux")(
    "is kept where the clock was put right since, and taken over from another start of the machine",
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
    "is taken over where its number went to another process",
    async () => {
      await heldBy(process.ppid, "1");
      await (await lockFolder(folder)).release();
    },
  );

  it("goes to one of many in this process that find it stale at once", async () => {
    await heldBy(2 ** 22 + 1);
    const taken = await Promise.allSettled(Array.from({ length: 5 }, () => lockFolder(folder)));
    const locks = taken.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(locks).toHaveLength(1);
    await locks[0]!.release();
  });
});
