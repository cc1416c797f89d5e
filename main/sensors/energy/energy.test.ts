import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { treeOf } from "../base/tree.fixture.ts";
import { programOf } from "../gpu/recorded.fixture.ts";
import { batteryWatts } from "./battery-power.ts";
import { energyMeter, lookedAt, sourcesOf } from "./energy-meter.ts";
import { macBatteryFeed, parsePowermetrics, parseSmartBattery, powermetricsFeed } from "./macos-power.ts";
import { fedEnergy, type PowerFeed } from "./power-feed.ts";
import { raplCounter } from "./rapl.ts";
import { parseBatteryStatus, windowsBatteryFeed } from "./windows-power.ts";

/** /sys/class/powercap of a laptop with one processor. */
const powercap = (joules: number) => ({
  "intel-rapl:0/name": "package-0\n",
  "intel-rapl:0/energy_uj": `${String(joules * 1e6)}\n`,
  "intel-rapl:0/max_energy_range_uj": "262143328850\n",
  "intel-rapl:0:0/name": "core\n",
  "intel-rapl:0:0/energy_uj": "81000000\n",
  "intel-rapl:0:0/max_energy_range_uj": "262143328850\n",
  "intel-rapl:1/name": "psys\n",
  "intel-rapl:1/energy_uj": "999000000\n",
  "intel-rapl:1/max_energy_range_uj": "262143328850\n",
  "intel-rapl-mmio:0/name": "package-0\n",
  "intel-rapl-mmio:0/energy_uj": "5000000\n",
  "intel-rapl-mmio:0/max_energy_range_uj": "262143328850\n",
});

describe("/sys/class/powercap", () => {
  it("counts the joules of the packages since the first read, and their parts only once", () => {
    const tree = treeOf(powercap(1_000));
    const read = raplCounter(tree);
    expect(read()).toBe(0);
    writeFileSync(join(tree, "intel-rapl:0/energy_uj"), "1012500000\n");
    writeFileSync(join(tree, "intel-rapl:0:0/energy_uj"), "90000000\n");
    expect(read()).toBe(12.5);
  });

  it("goes on when the counter overflows", () => {
    const tree = treeOf(powercap(262_143));
    const read = raplCounter(tree);
    read();
    writeFileSync(join(tree, "intel-rapl:0/energy_uj"), "1000000\n");
    expect(read()).toBeCloseTo(1.32885, 5);
  });

  it("adds the packages of two processors", () => {
    const two = { ...powercap(10), "intel-rapl:1/name": "package-1\n" };
    const tree = treeOf(two);
    const read = raplCounter(tree);
    read();
    writeFileSync(join(tree, "intel-rapl:0/energy_uj"), "11000000\n");
    writeFileSync(join(tree, "intel-rapl:1/energy_uj"), "1001000000\n");
    expect(read()).toBe(3);
  });

  it("knows nothing without a readable counter, and begins again when it can be read", () => {
    expect(raplCounter("/nowhere")()).toBeNull();
    const tree = treeOf(powercap(10));
    const read = raplCounter(tree);
    expect(read()).toBe(0);
    rmSync(join(tree, "intel-rapl:0/energy_uj"));
    expect(read()).toBeNull();
    writeFileSync(join(tree, "intel-rapl:0/energy_uj"), "500000000\n");
    expect(read()).toBe(0);
  });
});

describe("the power of the batteries", () => {
  const battery = (values: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      Object.entries({ type: "Battery", status: "Discharging", ...values }).map(([key, value]) => [
        `BAT0/${key}`,
        `${value}\n`,
      ]),
    );

  it.each([
    [{ power_now: "11250000" }, 11.25],
    [{ current_now: "1000000", voltage_now: "11400000" }, 11.4],
    [{ current_now: "-1000000", voltage_now: "11400000" }, 11.4],
    [{ status: "Charging", power_now: "30000000" }, null],
    [{ voltage_now: "11400000" }, null],
    [{ scope: "Device", power_now: "100000" }, null],
  ])("of %j is %j W", (values, watts) => {
    expect(batteryWatts(treeOf(battery(values)))).toBe(watts);
  });

  it("is unknown without a battery", () => {
    expect(batteryWatts("/nowhere")).toBeNull();
  });
});

describe("the energy meter", () => {
  it("takes the batteries while they discharge, otherwise the processors", () => {
    let watts: number | null = null;
    let joules: number | null = 100;
    const { read } = energyMeter({ battery: lookedAt(() => watts), processors: { joules: () => joules } });
    expect(read(0, null)).toEqual({ meter: "processors", joules: 100 });
    watts = 10;
    expect(read(1_000, null)).toEqual({ meter: "battery", joules: 0 });
    watts = 20;
    expect(read(3_000, { joules: 7 })).toEqual({ meter: "battery", joules: 30 });
    watts = null;
    joules = 150;
    expect(read(4_000, null)).toEqual({ meter: "processors", joules: 150 });
    joules = null;
    expect(read(5_000, null)).toBeNull();
  });

  it("adds the cards while jobs use one, and counts them alone where the processors cannot be read", () => {
    let joules: number | null = 100;
    const { read } = energyMeter({ battery: { joules: () => null }, processors: { joules: () => joules } });
    expect(read(0, { joules: 40 })).toEqual({ meter: "processors and cards", joules: 140 });
    expect(read(0, { joules: null })).toBeNull();
    joules = null;
    expect(read(0, { joules: 40 })).toEqual({ meter: "cards", joules: 40 });
    expect(read(0, { joules: null })).toBeNull();
  });

  it.each(["darwin", "win32"] as const)("knows only the cards on %s while no job runs", (platform) => {
    const meter = energyMeter(sourcesOf(platform, false));
    meter.follow({ running: false, onBattery: true });
    meter.follow({ running: true, onBattery: false });
    expect(meter.read(0, null)).toBeNull();
    expect(meter.read(0, { joules: 40 })).toEqual({ meter: "cards", joules: 40 });
  });
});

const recorded = (name: string): string =>
  readFileSync(join(import.meta.dirname, "recorded", name), "utf8").replaceAll("\r\n", "\n");
const patient = { timeout: 60_000 };

/** The feed's first words, until one of them is a power. */
async function firstWatts(feed: PowerFeed): Promise<number | null> {
  let heard: number | null = null;
  const end = feed((watts) => (heard = watts));
  onTestFinished(end);
  await vi.waitFor(() => expect(heard).not.toBeNull(), patient);
  return heard;
}

describe("a Mac's battery", () => {
  const ioreg = recorded("ioreg-battery.txt");

  it("tells its power by a current that ioreg prints without its sign", () => {
    // -1,582 mA at 11,441 mV.
    expect(parseSmartBattery(ioreg)).toBeCloseTo(18.0997, 4);
  });

  it.each([
    ["on mains", ioreg.replace('"ExternalConnected" = No', '"ExternalConnected" = Yes')],
    ["while it is charged", ioreg.replace(/("InstantAmperage" = )\d+$/m, "$1500")],
    ["with a power that no computer draws", ioreg.replace(/("Voltage" = )\d+$/m, "$1999999999")],
    [
      "with another number",
      ioreg.replace(/("InstantAmperage" = )\d+$/m, "$10x7f").replace(/^ *"Amperage" = \d+\n/m, ""),
    ],
    ["without one", ""],
  ])("tells none %s", (_, text) => {
    expect(parseSmartBattery(text)).toBeNull();
  });

  it("tells the averaged current if there is no other", () => {
    expect(parseSmartBattery(ioreg.replace(/^ *"InstantAmperage" = \d+\n/m, ""))).toBeCloseTo(13.9466, 4);
  });

  it("is looked at again and again", async () => {
    const { program, starts } = programOf(`process.stdout.write(${JSON.stringify(ioreg)});`);
    expect(await firstWatts(macBatteryFeed(program, 20))).toBeCloseTo(18.0997, 4);
    await vi.waitFor(() => expect(starts().length).toBeGreaterThan(1), patient);
    expect(starts()[0]).toBe("-r -n AppleSmartBattery -w 0");
  });
});

describe("powermetrics", () => {
  it.each([
    ["powermetrics-apple.txt", 18.575],
    ["powermetrics-intel.txt", 22.48],
  ])("tells the power of the processors in %s once in each sample", async (name, watts) => {
    const text = recorded(name);
    expect(text.split("\n").flatMap((line) => parsePowermetrics(line) ?? [])).toEqual([watts]);
    const { program, starts } = programOf(
      `process.stdout.write(${JSON.stringify(text)}); setInterval(() => undefined, 1000);`,
    );
    expect(await firstWatts(powermetricsFeed(program))).toBe(watts);
    expect(starts()).toEqual(["--samplers cpu_power,gpu_power --sample-rate 5000 --buffer-size 1"]);
  });

  it.each([
    "Package Power: 4210 mW",
    "Combined Power (CPU + GPU + ANE): 4210 mW",
    "Intel energy model derived package power (CPUs+GT+SA): 4.21 W",
  ])("reads %j", (line) => {
    expect(parsePowermetrics(line)).toBe(4.21);
  });

  it.each(["Combined Power (CPU + GPU + ANE): 0 mW", "Combined Power: 9999999999 mW", "GPU Power: 249 mW"])(
    "reads no power in %j",
    (line) => {
      expect(parsePowermetrics(line)).toBeNull();
    },
  );
});

describe("the batteries of a Windows computer", () => {
  it.each([
    [recorded("windows-battery-status.txt"), 14.375],
    ['[{"Discharging":true,"DischargeRate":5000},{"Discharging":true,"DischargeRate":4000}]', 9],
    ['[{"Discharging":false,"DischargeRate":0},{"Discharging":true,"DischargeRate":4000}]', 4],
    ['[{"Discharging":false,"DischargeRate":0}]', null],
    // The number of a battery that does not know its rate.
    ['[{"Discharging":true,"DischargeRate":-2147483648}]', null],
    ['[{"Discharging":true,"DischargeRate":5000},{"Discharging":true,"DischargeRate":0}]', null],
    ["[]", null],
    ["Get-CimInstance : Access denied", null],
  ])("tell in %s a power of %j W", (text, watts) => {
    expect(parseBatteryStatus(text)).toBe(watts);
  });

  it("are told by one PowerShell", async () => {
    const text = recorded("windows-battery-status.txt");
    const { program, starts } = programOf(
      `setInterval(() => process.stdout.write(${JSON.stringify(text)}), 20);`,
    );
    expect(await firstWatts(windowsBatteryFeed(program))).toBe(14.375);
    expect(starts()).toHaveLength(1);
  });
});

describe("the energy by a feed", () => {
  /** A feed that the test speaks for. */
  const spoken = () => {
    let now = 0;
    let listener: ((watts: number | null) => void) | null = null;
    const energy = fedEnergy(
      (onWatts) => {
        listener = onWatts;
        return () => (listener = null);
      },
      () => now,
    );
    return {
      energy,
      isOn: () => listener !== null,
      at: (ms: number, ...watts: readonly (number | null)[]): number | null => {
        now = ms;
        for (const each of watts) listener?.(each);
        return energy.joules(now);
      },
    };
  };

  it("is each power until the next one, while the feed is wanted", () => {
    const { energy, isOn, at } = spoken();
    expect(isOn()).toBe(false);
    energy.follow(true);
    expect(at(1_000)).toBeNull();
    expect(at(2_000, 10)).toBe(0);
    expect(at(5_000, 20)).toBe(30);
    expect(at(6_000)).toBe(50);
    energy.follow(false);
    expect(isOn()).toBe(false);
    expect(at(7_000)).toBeNull();
  });

  it("cannot be read behind a gap that no reading noticed, so that nobody compares with one before it", () => {
    const { energy, at } = spoken();
    energy.follow(true);
    at(0, 10);
    expect(at(1_000)).toBe(10);
    expect(at(16_000, null, 100)).toBeNull();
    expect(at(17_000)).toBe(100);
    energy.follow(false);
    energy.follow(true);
    expect(at(20_000, 50)).toBeNull();
    expect(at(21_000)).toBe(50);
  });

  it("begins anew behind a gap, and is unknown in it", () => {
    const { energy, at } = spoken();
    energy.follow(true);
    at(0, 10);
    expect(at(10_000, null)).toBeNull();
    expect(at(20_000, 10)).toBe(0);
    expect(at(79_000)).toBe(590);
    // Nothing was heard for a minute.
    expect(at(80_000)).toBeNull();
    expect(at(90_000, 10)).toBe(0);
  });
});
