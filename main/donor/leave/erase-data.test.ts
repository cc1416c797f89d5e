import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { silentLog } from "../../log.ts";
import { eraseData } from "./erase-data.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-erase-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("removes the donor's files and their copies, and nothing else", async () => {
  for (const name of ["models", "facts", "gpu-cache", "Cache", "cuda"]) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "content"), "x");
  }
  const files = [
    "device.json",
    "device.json.left-2026-11-26T10-00-00.000Z",
    "device.json.corrupt-2026-11-26T10-00-00.000Z",
    "device.json.joining",
    "settings.json",
    "policy.json",
    "models.json",
    "journal.jsonl",
    "journal.1.jsonl",
  ];
  for (const name of [...files, "gleaner.lock", "control.sock", "Preferences"]) {
    await writeFile(join(folder, name), "x");
  }
  expect(await eraseData(folder, silentLog)).toEqual([]);
  expect((await readdir(folder)).toSorted()).toEqual(
    ["Cache", "Preferences", "control.sock", "cuda", "gleaner.lock"].toSorted(),
  );
});

it("names the folder if it cannot be read", async () => {
  const missing = join(folder, "none");
  expect(await eraseData(missing, silentLog)).toEqual([missing]);
});
