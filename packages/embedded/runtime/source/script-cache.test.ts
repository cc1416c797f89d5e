import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ModuleFileCode, toScript } from "./bundle-script.ts";
import { cachedScript } from "./script-cache.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "script-cache-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const file = (source: string, path = "a.js"): ModuleFileCode => ({ path, source });
let made = 0;
const make = (files: readonly ModuleFileCode[]) => {
  made += 1;
  return toScript(files);
};
/** The script of such files, and whether it was made now. */
async function scriptOf(...files: ModuleFileCode[]) {
  const before = made;
  const script = await cachedScript(files, make, folder);
  return { script, isNew: made > before };
}

it("makes the script of equal files once", async () => {
  const first = await scriptOf(file("export const a = 1;"));
  const second = await scriptOf(file("export const a = 1;"));
  expect([first.isNew, second.isNew]).toEqual([true, false]);
  expect(second.script).toEqual(first.script);
});

it("makes another script for other code, another name, another map, or another order", async () => {
  const one = file("export const a = 1;");
  const two = file("export const b = 1;", "b.js");
  await scriptOf(one, two);
  const map = JSON.stringify({ version: 3, sources: ["a.ts"], names: [], mappings: "" });
  for (const files of [
    [file("export const a = 2;"), two],
    [file("export const a = 1;", "c.js"), two],
    [{ ...one, sourceMap: map }, two],
    [two, one],
    [one],
  ]) {
    expect((await scriptOf(...files)).isNew).toBe(true);
  }
});

it.each([
  ["breaks off", (path: string) => truncate(path, 60)],
  ["is empty", (path: string) => writeFile(path, "")],
  [
    "has another byte",
    async (path: string) => {
      const content = await readFile(path);
      content.writeUInt8(content.readUInt8(50) ^ 1, 50);
      await writeFile(path, content);
    },
  ],
])("makes the script again if the kept one %s", async (_how, damage) => {
  const { script } = await scriptOf(file("export const a = 1;"));
  const [name = ""] = await readdir(folder);
  await damage(join(folder, name));
  expect(await scriptOf(file("export const a = 1;"))).toEqual({ script, isNew: true });
  expect((await scriptOf(file("export const a = 1;"))).isNew).toBe(false);
});

it("keeps the 32 scripts that were used last", async () => {
  const numbered = (number: number) => file(`export const a = ${String(number)};`);
  for (let number = 0; number < 40; number += 1) {
    await scriptOf(numbered(number));
    await scriptOf(numbered(0));
  }
  expect(await readdir(folder)).toHaveLength(32);
  expect((await scriptOf(numbered(0))).isNew).toBe(false);
});

it("works in a folder that cannot be written", async () => {
  const path = join(folder, "file");
  await writeFile(path, "");
  expect(await cachedScript([file("export const a = 1;")], toScript, path)).toMatchObject({ modules: ["a"] });
});
