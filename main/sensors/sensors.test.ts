import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { known, unknown } from "../../app/facts/facts.ts";
import { idleFromFile, idleFromShell } from "./base/idle.ts";
import { ownCpuTime, parseKernelMs } from "./base/own-use.ts";
import { cpuLoadSensor, otherLoad, parseStat, systemCpuTimes } from "./common/cpu-load.ts";
import { diskSensor } from "./common/disk.ts";
import { parseBatteries } from "./windows/battery.ts";

describe("idle", () => {
  it("takes the idle time from the shell, and does not know it if the shell gives no valid number", () => {
    expect(idleFromShell(() => 12).sample()).toEqual(known(12));
    expect(idleFromShell(() => -1).sample()).toEqual(unknown);
    expect(idleFromShell(() => NaN).sample()).toEqual(unknown);
    const failing = idleFromShell(() => {
      throw new Error("no display");
    });
    expect(failing.sample()).toEqual(unknown);
  });

  it("reads the idle time from a file in tests", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gleaner-idle-"));
    const path = join(folder, "idle");
    const sensor = idleFromFile(path);
    expect(sensor.sample()).toEqual(unknown);
    await writeFile(path, "300\n");
    expect(sensor.sample()).toEqual(known(300));
    await writeFile(path, "");
    expect(sensor.sample()).toEqual(unknown);
    await rm(folder, { recursive: true });
  });
});

describe("disk", () => {
  const needs = { facts: new Set(["diskFreeMb"] as const), programs: [], running: false };

  it("knows the free space of a folder's disk, and nothing of a missing folder", async () => {
    const { diskFreeMb } = (await diskSensor(tmpdir()).sample?.(needs)) ?? {};
    expect(diskFreeMb?.known === true && diskFreeMb.value > 0).toBe(true);
    expect(await diskSensor(join(tmpdir(), "gleaner-nowhere")).sample?.(needs)).toEqual({});
  });
});

describe("power", () => {
  const battery = (BatteryStatus: number | null, EstimatedChargeRemaining: number | null) => ({
    BatteryStatus,
    EstimatedChargeRemaining,
  });
  it.each([
    [[], known("ac"), unknown],
    [[battery(2, 80)], known("ac"), known(80)],
    [[battery(1, 0)], known("battery"), known(0)],
    [[battery(1, null)], known("battery"), unknown],
    [[battery(6, 101)], known("ac"), unknown],
    [[battery(2, 90), battery(1, 31)], known("battery"), known(61)],
    [[battery(10, 50)], unknown, known(50)],
    [[battery(null, 50)], unknown, known(50)],
  ])("reads power and charge from %j", (batteries, power, batteryPercent) => {
    expect(parseBatteries(JSON.stringify(batteries))).toEqual({ power, batteryPercent });
  });

  it.each(["", "{}", "no json", '[{"BatteryStatus":"2"}]'])("reads nothing from %j", (text) => {
    expect(parseBatteries(text)).toEqual({});
  });
});

describe("load of others", () => {
  const before = { busyMs: 1_000, totalMs: 10_000, own: 100 };

  it("leaves our own use out of the load of others", () => {
    expect(otherLoad(before, { busyMs: 1_600, totalMs: 11_000, own: 300 })).toEqual(known(0.4));
  });

  it("keeps the load of others between 0 and 1", () => {
    expect(otherLoad(before, { busyMs: 1_100, totalMs: 11_000, own: 900 })).toEqual(known(0));
    expect(otherLoad(before, { busyMs: 9_000, totalMs: 11_000, own: 50 })).toEqual(known(1));
  });

  it("does not know the load of others without elapsed time or without our own use", () => {
    expect(otherLoad(before, before)).toEqual(unknown);
    expect(otherLoad(before, { busyMs: 2_000, totalMs: 12_000, own: null })).toEqual(unknown);
  });

  it("keeps the last load if it is sampled again too soon", () => {
    const times = [
      { busyMs: 0, totalMs: 0 },
      { busyMs: 25_000, totalMs: 100_000 },
      { busyMs: 25_010, totalMs: 100_010 },
      { busyMs: 100_000, totalMs: 200_000 },
    ];
    const sensor = cpuLoadSensor(
      () => 0,
      () => times.shift() ?? { busyMs: 0, totalMs: 0 },
    );
    const loads = [1, 2, 3].map(() => sensor.sample().otherCpuLoad);
    expect(loads).toEqual([known(0.25), known(0.25), known(0.75)]);
  });

  it("does not count this process's own CPU time as load of others", () => {
    const sensor = cpuLoadSensor(ownCpuTime(() => undefined));
    const others = cpuLoadSensor(() => 0);
    const until = Date.now() + 400;
    while (Date.now() < until) Math.sqrt(until);
    const [withoutUs, withUs] = [sensor.sample().otherCpuLoad, others.sample().otherCpuLoad];
    if (!withoutUs.known || !withUs.known) throw new Error("unknown load");
    expect(withoutUs.value).toBeLessThan(withUs.value);
    expect(systemCpuTimes().totalMs).toBeGreaterThan(0);
  });

  it.runIf(process.platform === "linux")("does not count programs of low priority as busy", async () => {
    const spin = "const until = Date.now() + 600; while (Date.now() < until);";
    const before = systemCpuTimes("linux");
    const beforeAll = systemCpuTimes("darwin");
    const child = spawn("nice", ["-n", "19", process.execPath, "-e", spin]);
    await new Promise((resolve) => child.once("exit", resolve));
    const [busy, all] = [
      systemCpuTimes("linux").busyMs - before.busyMs,
      systemCpuTimes("darwin").busyMs - beforeAll.busyMs,
    ];
    // Its share of the 600 ms depends on the load of the machine.
    expect(all - busy).toBeGreaterThan(20);
  });

  it("reads the sum of all cores from /proc/stat", () => {
    const text = "cpu  100 20 30 4000 50 1 2 3 0 0\ncpu0 50 10 15 2000 25 0 1 0 0 0\n";
    expect(parseStat(text)).toEqual({ busyMs: 1_330, totalMs: 42_030 });
    expect(parseStat("cpu  x y\n")).toBeNull();
    expect(parseStat("")).toBeNull();
  });

  it("reads /proc/PID/stat of a program with parentheses in its name", () => {
    const stat = `42 (a) b (c) S ${Array.from({ length: 40 }, (_, index) => index + 1).join(" ")}`;
    expect(parseKernelMs(stat)).toBe(120);
    expect(parseKernelMs("")).toBeNull();
  });
});
