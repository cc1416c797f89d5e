import { describe, expect, it } from "vitest";
import { nothingSensed, type Sensor } from "./base/sensor.ts";
import { platformSensors } from "./platform-sensors.ts";

const sensorsOf = (platform: NodeJS.Platform): readonly Sensor[] =>
  platformSensors({
    platform,
    env: { DISPLAY: ":0", DBUS_SYSTEM_BUS_ADDRESS: "unix:path=/a", DBUS_SESSION_BUS_ADDRESS: "unix:path=/b" },
    dataDir: "/tmp",
    ownCpuTime: () => 0,
    runnerPid: () => undefined,
    shell: [],
  });

describe("platformSensors", () => {
  it.each([
    ["linux", 0],
    ["win32", 1],
    ["darwin", 1],
  ] as const)("on %s starts at most %i subprocess a minute at rest, with every rule", (platform, most) => {
    const atRest = sensorsOf(platform).filter((sensor) => sensor.onlyWhileDonating !== true);
    const perMinute = atRest.map(({ subprocessEveryMs }) =>
      subprocessEveryMs === undefined ? 0 : 60_000 / subprocessEveryMs,
    );
    expect(perMinute.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(most);
  });

  it("has a sensor for every fact on Linux except the idle time, which has its own", () => {
    const told = new Set(sensorsOf("linux").flatMap(({ facts }) => facts));
    expect(Object.keys(nothingSensed).filter((name) => !told.has(name as never))).toEqual(["idleSeconds"]);
  });
});
