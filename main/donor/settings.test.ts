import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultRules } from "../../app/policy/rules.ts";
import { silentLog } from "../log.ts";
import { openSettings } from "./settings.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-settings-"));
  path = join(folder, "settings.json");
});
afterEach(() => rm(folder, { recursive: true }));

describe("settings", () => {
  it("are the defaults at first, and no file is written for them", async () => {
    const store = await openSettings(path, {}, silentLog);
    expect(store.current()).toEqual({ pause: null, donateNowUntil: null, rules: defaultRules });
    expect(await readdir(folder)).toEqual([]);
  });

  it("survive a restart", async () => {
    const store = await openSettings(path, {}, silentLog);
    await store.change({ pause: { until: null } });
    await store.change({ rules: { ...defaultRules, idleAfterSeconds: 30 } });
    const again = await openSettings(path, {}, silentLog);
    expect(again.current()).toEqual({
      pause: { until: null },
      donateNowUntil: null,
      rules: { ...defaultRules, idleAfterSeconds: 30 },
    });
  });

  it("keep a start's own defaults out of the file", async () => {
    const store = await openSettings(path, { requireIdle: false }, silentLog);
    await store.change({ rules: { ...store.current().rules, allowOnBattery: true } });
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ rules: { allowOnBattery: true } });
    expect((await openSettings(path, {}, silentLog)).current().rules.requireIdle).toBe(true);
  });

  it("take every change of many at once", async () => {
    const store = await openSettings(path, {}, silentLog);
    await Promise.all([1, 2, 3].map((until) => store.change({ donateNowUntil: until })));
    expect((await openSettings(path, {}, silentLog)).current().donateNowUntil).toBe(3);
    expect(await readdir(folder)).toEqual(["settings.json"]);
  });

  it("fall back to the defaults where the file is damaged, and say so", async () => {
    await writeFile(path, '{"version":1,"pause":nonsense');
    const events: string[] = [];
    const store = await openSettings(path, {}, (_level, event) => events.push(event));
    expect(store.current().rules).toEqual(defaultRules);
    expect(events).toEqual(["settings.corrupt"]);
    expect((await readdir(folder)).some((name) => name.startsWith("settings.json.corrupt-"))).toBe(true);
  });
});
