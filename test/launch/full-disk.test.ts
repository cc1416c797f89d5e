import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { canMount, onSmallDisk } from "../../chaos/small-disk.ts";
import { freePorts } from "./free-port.ts";
import { type Program, run } from "./program.ts";

/** First starts on a disk of their own that has no room. */

async function runOn(
  megabytes: number,
  file: string,
  args: (folder: string) => readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-full-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const within = (command: readonly string[]) => onSmallDisk(folder, megabytes, fillFirst(folder, command));
  return run(file, args(folder), { GLEANER_DATA: folder, ...env }, { within });
}

/** Leaves no byte on the disk of this folder. */
function fillFirst(folder: string, command: readonly string[]): readonly string[] {
  const fill = 'dd if=/dev/zero of="$0/ballast" bs=4k 2>/dev/null; exec "$@"';
  return ["sh", "-c", fill, folder, ...command];
}

test.skipIf(!canMount())("npm start says how much room is missing, and what to do", async () => {
  const port = await freePorts(3);
  const program = await runOn(4, "launch/start.ts", () => ["--headless", "--port", String(port)]);
  expect(await program.ended).toBe(1);
  expect(program.output()).toMatch(
    /^gleaner: The disk of \S+ has 0 kB left, and Gleaner needs at least 32 MB\.\n +Free some space, or set GLEANER_DATA/,
  );
  expect(program.output()).not.toContain("fetch failed");
});

test.skipIf(!canMount())("a donor says that its folder has no room", async () => {
  const port = await freePorts(1);
  const backend = `http://127.0.0.1:${String(port)}`;
  const program = await runOn(
    4,
    "cli/gleaner.ts",
    () => ["donate", "--headless", "--panel-port", "0", "--backend", backend],
    { GLEANER_CODE: "GLN-7K2M-9QXD-4WHT" },
  );
  expect(await program.ended).toBe(1);
  expect(program.output()).toMatch(/cannot be used \(ENOSPC: no space left on device.*\)\. Make room for it/);
});
