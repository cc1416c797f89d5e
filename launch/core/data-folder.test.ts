import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readOrMakeDataKey } from "./data-folder.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-data-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const make = (): string => "A".repeat(43);

it("makes the key for texts once, and replaces no malformed one", async () => {
  const file = join(folder, "data-key");
  expect(await readOrMakeDataKey(file, make)).toBe(make());
  expect(await readOrMakeDataKey(file, () => "B".repeat(43))).toBe(make());
  await writeFile(file, "short");
  await expect(readOrMakeDataKey(file, make)).rejects.toThrow("43 characters");
  expect(await readFile(file, "utf8")).toBe("short");
});
