import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { afterAllArtifactBuild } from "./make-packages.ts";

let outDir: string;
beforeEach(async () => {
  outDir = await mkdtemp(join(tmpdir(), "gleaner-packages-"));
  // It is no program, so that packing it would fail.
  await mkdir(join(outDir, "linux-unpacked"));
});
afterEach(() => rm(outDir, { recursive: true }));

it.each([
  ["linux", "dir"],
  ["windows", "nsis"],
  ["mac", "dmg"],
])("electron-builder gets no packages of Linux for %s and %s", async (name, target) => {
  const platformToTargets = new Map([[{ name }, new Map([[target, null]])]]);
  expect(await afterAllArtifactBuild({ outDir, platformToTargets })).toEqual([]);
});
