import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withoutNone } from "../../app/managed/without-none.ts";
import { findManagedSettings } from "./find-settings.ts";
import { readManagedFile } from "./managed-file.ts";
import { existingPreferences } from "./places.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-managed-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, text: string, mode = 0o644): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text, { mode });
  return path;
}

describe("managed settings of a file", () => {
  it("are found with what was not understood", async () => {
    const path = await file("good.json", JSON.stringify({ server: "https://office:3210", other: 1 }));
    expect(await findManagedSettings("linux", { GLEANER_MANAGED: path })).toMatchObject({
      settings: { server: "https://office:3210" },
      source: path,
      ignored: ["other"],
    });
  });

  it("may begin with a byte order mark, and have none for null", async () => {
    const text = "\uFEFF" + JSON.stringify({ rules: { maxTemperatureC: "none" } });
    const found = await findManagedSettings("linux", { GLEANER_MANAGED: await file("bom.json", text) });
    expect(found.settings.rules.values).toEqual({ maxTemperatureC: null });
  });

  it("stop the start if a known setting is wrong, or the path is a folder", async () => {
    const path = await file("wrong.json", JSON.stringify({ server: "office", rules: {} }));
    await expect(findManagedSettings("linux", { GLEANER_MANAGED: path })).rejects.toThrow(
      /wrong\.json: server has to be an address/,
    );
    await expect(findManagedSettings("linux", { GLEANER_MANAGED: folder })).rejects.toThrow(/is no file/);
  });

  it("are none without a file", async () => {
    expect(await findManagedSettings("linux", {})).toMatchObject({ source: null, ignored: [] });
    expect(await readManagedFile(join(folder, "absent.json"), { ofRoot: true })).toBeNull();
  });

  it.each([
    ["no JSON", "broken.json", "{", /is no JSON/],
    ["a list", "list.json", "[]", /have to be an object/],
    ["too large", "large.json", JSON.stringify({ server: "x".repeat(300_000) }), /larger than 256 KiB/],
  ])("stop the start if they are %s", async (_, name, text, words) => {
    const path = await file(name, text);
    await expect(findManagedSettings("linux", { GLEANER_MANAGED: path })).rejects.toThrow(words);
  });

  it("stop the start if a file that was named is not there", async () => {
    const path = join(folder, "gone.json");
    await expect(findManagedSettings("linux", { GLEANER_MANAGED: path })).rejects.toThrow(/does not exist/);
  });

  it("stop the start if others than root could have written them", async () => {
    const path = await file("open.json", "{}");
    await chmod(path, 0o666);
    await expect(readManagedFile(path, { ofRoot: true })).rejects.toThrow(
      /sudo chown root ".*" && sudo chmod 644/,
    );
  });
});

it("of a Mac are those of the computer, then those of the user", () => {
  const both = existingPreferences("ada", () => true);
  expect(both).toBe("/Library/Managed Preferences/org.gleaner.desktop.plist");
  expect(existingPreferences("ada", (path) => path.includes("/ada/"))).toBe(
    "/Library/Managed Preferences/ada/org.gleaner.desktop.plist",
  );
  expect(existingPreferences("ada", () => false)).toBeNull();
});

it("have null in place of none, but for names in a list", () => {
  expect(
    withoutNone({
      rules: { maxTemperatureC: "none", idle: { threads: "none" }, excludedPrograms: ["none"] },
    }),
  ).toEqual({ rules: { maxTemperatureC: null, idle: { threads: null }, excludedPrograms: ["none"] } });
});
