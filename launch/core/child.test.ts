import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startChild } from "./child.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-child-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

it.each([
  ["ended", "process.exit(3)", 60_000, { isLate: false, message: "part ended at its start (3)" }],
  ["is not ready in time", "setInterval(() => {}, 1_000)", 1_000, { isLate: true }],
])("tells of a child that it %s", async (_how, code, readyWithinMs, failure) => {
  const child = startChild({
    name: "part",
    command: process.execPath,
    args: ["-e", code],
    logFile: join(folder, "part.log"),
    readyWithinMs,
  });
  await expect(child).rejects.toMatchObject({ name: "ChildFailed", report: null, ...failure });
});
