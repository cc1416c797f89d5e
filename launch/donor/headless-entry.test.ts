import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { freshBundle } from "./headless-entry.ts";

let folder: string;
let bundle: string;
let source: string;
let test: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-entry-"));
  bundle = join(folder, "bundle.js");
  await mkdir(join(folder, "main/deep"), { recursive: true });
  source = join(folder, "main/deep/one.ts");
  test = join(folder, "main/deep/one.test.ts");
  for (const file of [bundle, source, test]) await writeFile(file, "");
  await utimes(bundle, 1_000, 1_000);
  await utimes(source, 1_000, 1_000);
});

afterEach(() => rm(folder, { recursive: true }));

const fresh = (): boolean => freshBundle(bundle, [join(folder, "main")]);

it("accepts a bundle that is no older than its sources, and ignores tests", () => {
  expect(fresh()).toBe(true);
});

it("rejects a bundle that is older than a source", async () => {
  await utimes(source, 1_001, 1_001);
  expect(fresh()).toBe(false);
});

it("rejects a missing bundle", async () => {
  await rm(bundle);
  expect(fresh()).toBe(false);
});
