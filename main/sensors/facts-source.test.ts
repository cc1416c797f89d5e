import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { known, type SensedFact, unknown } from "../../app/facts/facts.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { unknownIdle } from "./base/idle.ts";
import { type Found, neededBy, type Needs, type Sensor } from "./base/sensor.ts";
import { treeOf } from "./base/tree.fixture.ts";
import { gatherFacts } from "./facts-source.ts";
import { minuteOfWeek, TimeZone } from "./local-time.ts";

const needs = (...facts: readonly SensedFact[]): Needs => ({
  facts: new Set(facts),
  programs: [],
  running: false,
});

/** A real facts source, with inputs that the test changes. */
function source(name: string, everyMs: number, found: () => Found, facts: readonly SensedFact[]) {
  const count = { samples: 0 };
  const sensor: Sensor = {
    source: name,
    facts,
    everyMs,
    sample: () => {
      count.samples += 1;
      return found();
    },
  };
  return { sensor, count };
}

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

describe("gatherFacts", () => {
  it("samples each needed fact at its sensor's interval, and reports only changes", async () => {
    let free = 10;
    let changes = 0;
    const memory = source("memory", 15_000, () => ({ memoryFreeMb: known(free) }), ["memoryFreeMb"]);
    const camera = source("camera", 10_000, () => ({ cameraInUse: known(false) }), ["cameraInUse"]);
    const facts = gatherFacts({ idle: unknownIdle, others: [memory.sensor, camera.sensor] });
    await facts.start(needs("memoryFreeMb"), () => (changes += 1));
    expect([memory.count.samples, camera.count.samples, changes]).toEqual([1, 0, 1]);

    await vi.advanceTimersByTimeAsync(30_000);
    // Setting the clock does not change the interval.
    vi.setSystemTime(Date.now() - 3_600_000);
    await vi.advanceTimersByTimeAsync(15_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect([memory.count.samples, changes]).toEqual([4, 1]);
    free = 20;
    await vi.advanceTimersByTimeAsync(15_000);
    expect([facts.read().memoryFreeMb, changes]).toEqual([known(20), 2]);
    expect(facts.readings().memoryFreeMb).toEqual({ value: known(20), source: "memory", at: 1_060_000 });
    expect(facts.readings().cameraInUse).toEqual({ value: unknown, source: "not checked", at: null });
    expect(facts.readings().metered.source).toBe("no source here");
    facts.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("samples a sensor once a rule needs its fact, and forgets facts that no rule needs", async () => {
    const camera = source("camera", 10_000, () => ({ cameraInUse: known(true) }), ["cameraInUse"]);
    const facts = gatherFacts({ idle: unknownIdle, others: [camera.sensor] });
    await facts.start(needs(), () => undefined);
    expect(camera.count.samples).toBe(0);
    void facts.need(needs("cameraInUse"));
    expect(facts.read().cameraInUse).toEqual(known(true));
    void facts.need(needs("cameraInUse"));
    expect(camera.count.samples).toBe(1);
    void facts.need(needs());
    expect(facts.read().cameraInUse).toEqual(unknown);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(camera.count.samples).toBe(1);
    facts.stop();
  });

  it("takes a fact from the first sensor that knows it, and samples a later sensor only while the first one does not", async () => {
    let first: Found = { power: known("battery") };
    const best = source("best", 10_000, () => first, ["power"]);
    const last = source("last", 10_000, () => ({ power: known("ac") }), ["power"]);
    const facts = gatherFacts({ idle: unknownIdle, others: [best.sensor, last.sensor] });
    await facts.start(needs("power"), () => undefined);
    const asked = last.count.samples;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(facts.readings().power).toMatchObject({ value: known("battery"), source: "best" });
    expect(last.count.samples).toBe(asked);
    first = {};
    await vi.advanceTimersByTimeAsync(20_000);
    expect(facts.readings().power).toMatchObject({ value: known("ac"), source: "last" });
    expect(last.count.samples).toBeGreaterThan(asked);
    facts.stop();
  });

  it("follows a sensor that reports changes, and keeps the facts that a report leaves out", async () => {
    let tell: (found: Found) => void = () => undefined;
    let followed = 0;
    const upower: Sensor = {
      source: "upower",
      facts: ["power", "batteryPercent"],
      everyMs: null,
      follow: (listener) => {
        followed += 1;
        tell = listener;
        return () => (followed -= 1);
      },
    };
    const facts = gatherFacts({ idle: unknownIdle, others: [upower] });
    await facts.start(needs("power", "batteryPercent"), () => undefined);
    tell({ power: known("ac"), batteryPercent: known(80) });
    tell({ power: known("battery") });
    expect(facts.read()).toMatchObject({ power: known("battery"), batteryPercent: known(80) });
    expect(vi.getTimerCount()).toBe(0);
    void facts.need(needs());
    expect(followed).toBe(0);
    facts.stop();
  });

  it("samples a costly sensor only while a job or the runner needs it, or when a person asks for all facts", async () => {
    const nvidia = source("nvidia-smi", 60_000, () => ({ vramFreeMb: known(1) }), ["vramFreeMb"]);
    const costly = { ...nvidia.sensor, onlyWhileRunning: true };
    const facts = gatherFacts({ idle: unknownIdle, others: [costly] });
    await facts.start(needs("vramFreeMb"), () => undefined);
    expect(nvidia.count.samples).toBe(0);
    void facts.need({ ...needs("vramFreeMb"), running: true });
    expect(nvidia.count.samples).toBe(1);
    void facts.need(needs("vramFreeMb"));
    await facts.sampleAll([]);
    expect(facts.readings().vramFreeMb.value).toEqual(known(1));
    // The value may have changed by the time of a decision.
    expect(facts.read().vramFreeMb).toEqual(unknown);
    facts.stop();
  });

  it("looks at the GPU once without keeping its facts up to date, and not where no rule needs them", async () => {
    let load = 0.1;
    const found = () => ({ vramFreeMb: known(8_000), otherGpuLoad: known(load) });
    const nvidia = source("nvidia-smi", 5_000, found, ["otherGpuLoad", "vramFreeMb"]);
    const facts = gatherFacts({ idle: unknownIdle, others: [{ ...nvidia.sensor, onlyWhileRunning: true }] });
    await facts.start(needs("power"), () => undefined);
    expect(await facts.lookAtGpu()).toEqual({ otherGpuLoad: unknown, vramFreeMb: unknown });
    expect(nvidia.count.samples).toBe(0);
    await facts.need(needs("power", "vramFreeMb"));
    expect(await facts.lookAtGpu()).toEqual({ otherGpuLoad: known(0.1), vramFreeMb: known(8_000) });
    load = 0.9;
    expect(await facts.lookAtGpu()).toMatchObject({ otherGpuLoad: known(0.9) });
    expect(nvidia.count.samples).toBe(2);
    expect(facts.read()).toMatchObject({ otherGpuLoad: unknown, vramFreeMb: unknown });
    expect(vi.getTimerCount()).toBe(0);
    facts.stop();
  });

  it("takes samples that are due at nearly the same time in one wake-up", async () => {
    const one = source("one", 10_000, () => ({ locked: known(false) }), ["locked"]);
    const two = source("two", 10_900, () => ({ displayOff: known(false) }), ["displayOff"]);
    const facts = gatherFacts({ idle: unknownIdle, others: [one.sensor, two.sensor] });
    await facts.start(needs("locked", "displayOff"), () => undefined);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([one.count.samples, two.count.samples]).toEqual([2, 2]);
    facts.stop();
  });

  it("samples every sensor again when the computer wakes up", async () => {
    let tell: (found: Found) => void = () => undefined;
    let free = 10;
    const memory = source("memory", 15_000, () => ({ memoryFreeMb: known(free) }), ["memoryFreeMb"]);
    const sleep: Sensor = {
      source: "logind",
      facts: ["suspended"],
      everyMs: null,
      follow: (listener) => {
        tell = listener;
        return () => undefined;
      },
    };
    const facts = gatherFacts({ idle: unknownIdle, others: [memory.sensor, sleep] });
    await facts.start(needs("memoryFreeMb", "suspended"), () => undefined);
    tell({ suspended: known(true) });
    expect([facts.read().suspended, memory.count.samples]).toEqual([true, 1]);
    free = 20;
    tell({ suspended: known(false) });
    expect(facts.read()).toMatchObject({ suspended: false, memoryFreeMb: known(20) });
    expect(memory.count.samples).toBe(2);
    facts.stop();
  });

  it("looks for excluded programs again at once when the rules name others", async () => {
    const asked: string[] = [];
    const processes: Sensor = {
      source: "processes",
      facts: ["excludedProgram"],
      everyMs: 60_000,
      sample: ({ programs }) => {
        asked.push(programs.join(" "));
        return { excludedProgram: known(null) };
      },
    };
    const facts = gatherFacts({ idle: unknownIdle, others: [processes] });
    await facts.start({ ...needs("excludedProgram"), programs: ["blender"] }, () => undefined);
    void facts.need({ ...needs("excludedProgram"), programs: ["blender", "obs"] });
    expect(asked).toEqual(["blender", "blender obs"]);
    facts.stop();
  });
});

describe("neededBy", () => {
  it("leaves out facts that no rule needs", () => {
    const calm = {
      ...defaultRules,
      holdOnCall: false,
      holdOnMedia: false,
      holdOnFullScreen: false,
      allowMetered: true,
      maxTemperatureC: null,
      idle: { ...defaultRules.idle, gpu: false },
    };
    const { facts } = neededBy(calm, false);
    const costly: readonly SensedFact[] = [
      "displayOff",
      "cameraInUse",
      "microphoneInUse",
      "mediaPlaying",
      "fullScreen",
      "metered",
      "networks",
      "excludedProgram",
      "otherGpuLoad",
      "temperatureC",
      "batteryPercent",
    ];
    expect(costly.filter((name) => facts.has(name))).toEqual([]);
    expect(facts.has("power")).toBe(true);
  });

  it("includes the facts and programs that a rule needs", () => {
    const strict = {
      ...defaultRules,
      requiredNetworks: ["office"],
      excludedPrograms: ["obs"],
      allowOnBattery: true,
    };
    const { facts, programs } = neededBy(strict, true);
    expect(facts.has("networks") && facts.has("excludedProgram") && facts.has("batteryPercent")).toBe(true);
    expect(programs).toEqual(["obs"]);
  });
});

describe("minuteOfWeek", () => {
  const zone = process.env["TZ"];
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  it("counts the minutes of the week from Monday in local time", () => {
    process.env["TZ"] = "Europe/Zurich";
    expect(minuteOfWeek(new Date("2026-11-16T00:00:00+01:00"))).toBe(0);
    expect(minuteOfWeek(new Date("2026-11-22T23:59:59+01:00"))).toBe(10_079);
  });

  it("follows the system's time zone unless TZ was set for the program", () => {
    const tree = treeOf({ localtime: "-> /usr/share/zoneinfo/Europe/Zurich" });
    const link = join(tree, "localtime");
    delete process.env["TZ"];
    const free = new TimeZone(link);
    const given = new TimeZone(link, { TZ: "Asia/Tokyo" });
    rmSync(link);
    symlinkSync("../usr/share/zoneinfo/America/New_York", link);
    const later = Date.now() + 60_000;
    free.follow(later - 1);
    expect(process.env["TZ"]).toBeUndefined();
    given.follow(later);
    free.follow(later);
    expect(process.env["TZ"]).toBe("America/New_York");
    expect(minuteOfWeek(new Date("2026-11-16T05:00:00Z"))).toBe(0);
  });

  it("skips an hour of the week when the clock is put forward, and repeats one when it is put back", () => {
    process.env["TZ"] = "Europe/Zurich";
    const sunday = 6 * 1_440;
    expect(minuteOfWeek(new Date("2026-03-29T00:59:00Z"))).toBe(sunday + 119);
    expect(minuteOfWeek(new Date("2026-03-29T01:00:00Z"))).toBe(sunday + 180);
    expect(minuteOfWeek(new Date("2026-10-25T00:30:00Z"))).toBe(sunday + 150);
    expect(minuteOfWeek(new Date("2026-10-25T01:30:00Z"))).toBe(sunday + 150);
  });
});
