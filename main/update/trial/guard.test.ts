import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../log.ts";
import { UpdateStore } from "../update-state.ts";
import { guardTrial } from "./guard.ts";
import { nextFile, placeNext } from "./next-file.ts";
import { startNext, withoutFolder } from "./next-process.ts";
import { takeTrial } from "./trial-mark.ts";

let folder: string;
let image: string;
let store: UpdateStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-trial-"));
  image = join(folder, "Gleaner.AppImage");
  await writeFile(image, "old");
  store = await UpdateStore.open(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Puts a real program on trial as version 1.3.0. It counts its starts. */
async function onTrial(...lines: readonly string[]): Promise<void> {
  const script = ["#!/bin/sh", `echo "$GLEANER_TRIAL" >> "${folder}/starts"`, ...lines, ""].join("\n");
  await writeFile(nextFile(image), script);
  await chmod(nextFile(image), 0o755);
  await store.change({ trial: { version: "1.3.0", failures: 0 } });
}

const starts = async (): Promise<number> =>
  (await readFile(join(folder, "starts"), "utf8")).trim().split("\n").length;

function guard(changed: Partial<Parameters<typeof guardTrial>[0]> = {}) {
  return guardTrial({
    folder,
    image,
    store,
    start: () => startNext(image, ["--hidden"]),
    isReachable: () => Promise.resolve(true),
    stopped: new AbortController().signal,
    log: silentLog,
    tickMs: 20,
    patienceMs: 10_000,
    ...changed,
  });
}

const prove = (): string => `printf 1.3.0 > "${folder}/update-proven"`;
const installed = (): Promise<string> => readFile(image, "utf8");

describe("a version on trial", () => {
  it("becomes the program once it has reached the backend, and runs on", async () => {
    await onTrial(prove(), `sleep 0.3; echo alive > "${folder}/alive"`);
    expect(await guard()).toBe("replaced");
    expect(await installed()).toContain("#!/bin/sh");
    expect(existsSync(nextFile(image))).toBe(false);
    expect((await UpdateStore.open(folder)).current).toMatchObject({ trial: null, rolledBack: null });
    expect(existsSync(join(folder, "update-proven"))).toBe(false);
    expect(await readFile(join(folder, "starts"), "utf8")).toBe(`${image}\n`);
    await expect.poll(() => existsSync(join(folder, "alive"))).toBe(true);
  });

  it("gets a second start after an error", async () => {
    await onTrial(`[ $(wc -l < "${folder}/starts") = 1 ] && exit 1`, prove(), "sleep 0.3");
    expect(await guard()).toBe("replaced");
    expect(await starts()).toBe(2);
  });

  it("is rolled back after two errors", async () => {
    await onTrial("exit 1");
    expect(await guard()).toBe("rolled-back");
    expect(await starts()).toBe(2);
    expect(await installed()).toBe("old");
    expect(existsSync(nextFile(image))).toBe(false);
    expect((await UpdateStore.open(folder)).current).toMatchObject({ trial: null, rolledBack: "1.3.0" });
  });

  it("is rolled back if it cannot be started at all", async () => {
    await onTrial();
    await writeFile(nextFile(image), "no program");
    await chmod(nextFile(image), 0o600);
    expect(await guard()).toBe("rolled-back");
    expect(await installed()).toBe("old");
  });

  it("is ended with all its processes and rolled back if it does not reach a backend that answers", async () => {
    await onTrial(`sleep 1000 & echo $! > "${folder}/child"; wait`);
    expect(await guard({ patienceMs: 300 })).toBe("rolled-back");
    expect(await installed()).toBe("old");
    const child = Number(await readFile(join(folder, "child"), "utf8"));
    await expect.poll(() => isRunning(child)).toBe(false);
  });

  it("has time while the backend does not answer", async () => {
    await onTrial(`sleep 0.6; ${prove()}; sleep 0.3`);
    expect(await guard({ patienceMs: 200, isReachable: () => Promise.resolve(false) })).toBe("replaced");
  });

  it("stays on trial if its person quits it", async () => {
    await onTrial("exit 0");
    expect(await guard()).toBe("ended");
    expect(await installed()).toBe("old");
    expect((await UpdateStore.open(folder)).current.trial).toEqual({ version: "1.3.0", failures: 0 });
  });

  it("ends with its guard, and the trial goes on at the next start", async () => {
    await onTrial("exec sleep 1000");
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    expect(await guard({ stopped: stop.signal })).toBe("ended");
    await onTrial(prove(), "sleep 0.3");
    expect(await guard()).toBe("replaced");
  });

  it("becomes the program at the next start if it had proved itself", async () => {
    await onTrial("sleep 0.3");
    await store.change({ trial: { version: "1.3.0", failures: 2 } });
    await writeFile(join(folder, "update-proven"), "1.3.0");
    expect(await guard()).toBe("replaced");
  });
});

/** A process that nobody has waited for yet has ended, too. Then it has no command. */
function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path) && readFileSync(path, "utf8") !== "";
}

it("places only the file that was signed", async () => {
  const downloaded = join(folder, "downloaded");
  await writeFile(downloaded, "new");
  const sha512 = createHash("sha512").update("new").digest("base64");
  await placeNext(downloaded, image, sha512);
  expect(await readFile(nextFile(image), "utf8")).toBe("new");
  await writeFile(downloaded, "changed");
  await expect(placeNext(downloaded, image, sha512)).rejects.toThrow("changed since its download");
  expect(existsSync(nextFile(image))).toBe(false);
});

it("leaves the folder of the running version out of the next one's environment", () => {
  const env = {
    APPDIR: "/mnt/a",
    PATH: "/mnt/a/usr/bin:/usr/bin",
    LD_LIBRARY_PATH: "/mnt/a/lib",
    HOME: "/home/x",
  };
  expect(withoutFolder(env)).toEqual({ PATH: "/usr/bin", HOME: "/home/x" });
  expect(withoutFolder({ PATH: "/usr/bin" })).toEqual({ PATH: "/usr/bin" });
});

it("takes the place of the installed program in its own environment", () => {
  const env: NodeJS.ProcessEnv = { GLEANER_TRIAL: "/home/x/Gleaner.AppImage", APPIMAGE: "/home/x/.next" };
  expect(takeTrial(env)).toBe(true);
  expect(env).toEqual({ APPIMAGE: "/home/x/Gleaner.AppImage" });
  expect(takeTrial(env)).toBe(false);
});
