import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { loadJson, saveJson } from "./json-file.ts";
import { StartRefusal } from "./start-refusal.ts";

const schema = z.object({ count: z.number() });
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-json-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("a JSON file", () => {
  it("is loaded as it was saved, and only its owner can read it", async () => {
    const path = join(folder, "deep", "file.json");
    await saveJson(path, { count: 3 });
    expect(await loadJson(path, schema)).toEqual({ kind: "loaded", value: { count: 3 } });
    if (process.platform !== "win32") expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, "deep"))).toEqual(["file.json"]);
  });

  it("may be missing", async () => {
    expect(await loadJson(join(folder, "none.json"), schema)).toEqual({ kind: "absent" });
  });

  it("is named in the refusal and left in place if it cannot be read", async () => {
    const path = join(folder, "file.json");
    await mkdir(path);
    await expect(loadJson(path, schema)).rejects.toThrow(StartRefusal);
    await expect(loadJson(path, schema)).rejects.toThrow(`${path} cannot be read`);
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it("stops the start and stays if a newer version wrote it", async () => {
    const path = join(folder, "file.json");
    await writeFile(path, '{"version":3,"count":"new"}');
    await expect(loadJson(path, schema, 2)).rejects.toThrow(/newer version of Gleaner.*Update Gleaner/);
    await expect(loadJson(path, schema, 2)).rejects.toThrow(StartRefusal);
    expect(await readdir(folder)).toEqual(["file.json"]);
    expect(await loadJson(path, schema, 3)).toMatchObject({ kind: "corrupt" });
  });

  it.each(["", "{", '{"count":"three"}', "[]"])("is moved aside if it contains %j", async (text) => {
    const path = join(folder, "file.json");
    await writeFile(path, text);
    const loaded = await loadJson(path, schema);
    if (loaded.kind !== "corrupt") throw new Error(loaded.kind);
    expect(await readFile(loaded.movedTo, "utf8")).toBe(text);
    expect(await loadJson(path, schema)).toEqual({ kind: "absent" });
  });
});
