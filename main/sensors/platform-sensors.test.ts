import { win32 } from "node:path";
import { describe, expect, it } from "vitest";
import type { SensedFact } from "../../app/facts/facts.ts";
import { silentLog } from "../log.ts";
import { nothingSensed, type Sensor } from "./base/sensor.ts";
import { subprocessCounts } from "./base/subprocess.ts";
import { platformSensors } from "./platform-sensors.ts";

const sensorsOf = (platform: NodeJS.Platform): readonly Sensor[] =>
  platformSensors({
    platform,
    env: { DISPLAY: ":0", DBUS_SYSTEM_BUS_ADDRESS: "unix:path=/a", DBUS_SESSION_BUS_ADDRESS: "unix:path=/b" },
    dataDir: "/tmp",
    ownCpuTime: () => 0,
    runnerPid: () => undefined,
    shell: [],
    log: silentLog,
  });

describe("platformSensors", () => {
  it.each([
    ["linux", 0],
    ["win32", 1],
    ["darwin", 1],
  ] as const)("on %s starts at most %i subprocess a minute at rest, with every rule", (platform, most) => {
    const atRest = sensorsOf(platform).filter((sensor) => sensor.onlyWhileRunning !== true);
    const perMinute = atRest.map(({ subprocessEveryMs }) =>
      subprocessEveryMs === undefined ? 0 : 60_000 / subprocessEveryMs,
    );
    expect(perMinute.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(most);
  });

  it("has a sensor for every fact on Linux except the idle time, which has its own", () => {
    const told = new Set(sensorsOf("linux").flatMap(({ facts }) => facts));
    expect(Object.keys(nothingSensed).filter((name) => !told.has(name as never))).toEqual(["idleSeconds"]);
  });

  it.each(["win32", "darwin"] as const)("on %s starts programs by their full path", async (platform) => {
    const needs = { facts: new Set<SensedFact>(), programs: ["zoom"], running: true };
    const sensors = sensorsOf(platform).filter(({ subprocessEveryMs }) => subprocessEveryMs !== undefined);
    for (const { sample } of sensors) await sample?.(needs);
    const started = Object.keys(subprocessCounts());
    expect(started).not.toEqual([]);
    expect(started.filter((file) => !win32.isAbsolute(file))).toEqual([]);
  });
});
