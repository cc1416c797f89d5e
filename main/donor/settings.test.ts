import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../log.ts";
import { openSettings } from "./settings.ts";

const untouched = { pause: null, donateNowUntil: null, finishThenPause: false, rules: {} };

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-settings-"));
  path = join(folder, "settings.json");
});
afterEach(() => rm(folder, { recursive: true }));

describe("settings", () => {
  it("has default settings at first, without a file", async () => {
    const store = await openSettings(path, silentLog);
    expect(store.current()).toEqual(untouched);
    expect(await readdir(folder)).toEqual([]);
  });

  it("keeps the settings over a restart", async () => {
    const store = await openSettings(path, silentLog);
    await store.change({ pause: { until: null } });
    await store.change({ rules: { idleAfterSeconds: 30, schedule: null }, finishThenPause: true });
    const again = await openSettings(path, silentLog);
    expect(again.current()).toEqual({
      pause: { until: null },
      donateNowUntil: null,
      finishThenPause: true,
      rules: { idleAfterSeconds: 30, schedule: null },
    });
  });

  it("keeps all settings of the first version of the file", async () => {
    const rules = {
      requireIdle: false,
      idleAfterSeconds: 45,
      allowOnBattery: true,
      batteryFloorPercent: 70,
      maxOtherCpuLoad: 0.4,
      otherCpuLoadHysteresis: 0.2,
    };
    const first = { version: 1, pause: { until: 17 }, donateNowUntil: 18, rules };
    await writeFile(path, JSON.stringify(first));
    const store = await openSettings(path, silentLog);
    expect(store.current()).toEqual({
      pause: { until: 17 },
      donateNowUntil: 18,
      finishThenPause: false,
      rules,
    });
    await store.change({ donateNowUntil: null });
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
      ...first,
      version: 2,
      donateNowUntil: null,
      finishThenPause: false,
    });
  });

  it("leaves out a rule of a later version, and keeps the others", async () => {
    const rules = { quiet: true, moonPhase: "full" };
    await writeFile(path, JSON.stringify({ ...untouched, version: 2, rules }));
    expect((await openSettings(path, silentLog)).current().rules).toEqual({ quiet: true });
  });

  it("saves many simultaneous changes in order", async () => {
    const store = await openSettings(path, silentLog);
    await Promise.all([1, 2, 3].map((until) => store.change({ donateNowUntil: until })));
    expect((await openSettings(path, silentLog)).current().donateNowUntil).toBe(3);
    expect(await readdir(folder)).toEqual(["settings.json"]);
  });

  it.each([
    [
      "a rule out of bounds",
      { pause: { until: 9 }, rules: { quiet: true, idleAfterSeconds: -5 } },
      { until: 9 },
    ],
    ["a pause with an invalid end", { pause: { until: 9e15 }, rules: { quiet: true } }, { until: null }],
    ["an invalid pause", { pause: "yes", rules: { quiet: true } }, { until: null }],
  ])("keeps the valid settings next to %s", async (_what, damaged, pause) => {
    await writeFile(path, JSON.stringify({ ...untouched, version: 2, ...damaged }));
    const store = await openSettings(path, silentLog);
    expect(store.current()).toEqual({ ...untouched, pause, rules: { quiet: true } });
  });

  it("pauses and logs it if the file is damaged, and stays paused at the next start", async () => {
    await writeFile(path, '{"version":1,"pause":nonsense');
    const events: string[] = [];
    const store = await openSettings(path, (_level, event) => events.push(event));
    const paused = { ...untouched, pause: { until: null } };
    expect(store.current()).toEqual(paused);
    expect((await openSettings(path, silentLog)).current()).toEqual(paused);
    expect(events).toEqual(["settings.corrupt"]);
    expect((await readdir(folder)).some((name) => name.startsWith("settings.json.corrupt-"))).toBe(true);
  });
});
