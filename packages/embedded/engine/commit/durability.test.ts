import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { all, collect, read } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";

const script = new URL("./durability.child.ts", import.meta.url).pathname;
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "engine-durability-"));
  path = join(folder, "data.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Child = ChildProcessByStdio<null, Readable, Readable>;

function start(command: string, args: readonly string[]): { child: Child; exited: Promise<number | null> } {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  return { child, exited };
}

/** Ids on complete lines: the kill may have cut the last one. */
function acknowledged(output: string): string[] {
  return output.split("\n").slice(0, -1);
}

async function expectAllPresent(ids: readonly string[]): Promise<void> {
  const engine = openEngine({ path });
  const missing = read(engine, (transaction) => ids.filter((id) => transaction.get(id) === null));
  expect(missing).toEqual([]);
  const found = read(engine, (transaction) => collect(transaction, all("acknowledged")));
  expect(found.length).toBeGreaterThanOrEqual(ids.length);
  await engine.close();
}

test.each([1, 2, 3])(
  "every commit acknowledged before a SIGKILL survives it (run %i)",
  async (round) => {
    const { child, exited } = start(process.execPath, [script, path, "8"]);
    const output = text(child.stdout);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    // An odd delay, so that the kill hits an arbitrary moment.
    await new Promise((resolve) => setTimeout(resolve, 150 + 37 * round));
    child.kill("SIGKILL");
    await exited;
    const ids = acknowledged(await output);
    expect(ids.length).toBeGreaterThan(20);
    await expectAllPresent(ids);
  },
  20_000,
);

test.skipIf(process.platform === "win32")(
  "only commits on disk are acknowledged when the file cannot grow",
  async () => {
    // With SIGXFSZ ignored, a write over the limit fails as on a full disk.
    const command = `trap '' XFSZ; ulimit -f 2048; exec "$0" "$@"`;
    const { child, exited } = start("bash", ["-c", command, process.execPath, script, path, "8"]);
    const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
    expect(code).toBe(3);
    const told = errors.split("\n").filter((line) => line.includes("EngineFailedError"));
    expect(told, errors).toHaveLength(2);
    expect(told[0]).toContain("Check that the disk has room");
    const ids = acknowledged(output);
    expect(ids.length).toBeGreaterThan(20);
    await expectAllPresent(ids);
  },
  60_000,
);
