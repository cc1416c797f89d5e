import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { treeOf } from "../base/tree.fixture.ts";
import { batteryWatts } from "./battery-power.ts";
import { energyMeter } from "./energy-meter.ts";
import { raplCounter } from "./rapl.ts";

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
    const meter = energyMeter("linux", { battery: () => watts, rapl: () => joules });
    expect(meter(0, null)).toEqual({ meter: "processors", joules: 100 });
    watts = 10;
    expect(meter(1_000, null)).toEqual({ meter: "battery", joules: 0 });
    watts = 20;
    expect(meter(3_000, { joules: 7 })).toEqual({ meter: "battery", joules: 30 });
    watts = null;
    joules = 150;
    expect(meter(4_000, null)).toEqual({ meter: "processors", joules: 150 });
    joules = null;
    expect(meter(5_000, null)).toBeNull();
  });

  it("adds the cards while jobs use one, and counts them alone where the processors cannot be read", () => {
    let joules: number | null = 100;
    const meter = energyMeter("linux", { battery: () => null, rapl: () => joules });
    expect(meter(0, { joules: 40 })).toEqual({ meter: "processors and cards", joules: 140 });
    expect(meter(0, { joules: null })).toBeNull();
    joules = null;
    expect(meter(0, { joules: 40 })).toEqual({ meter: "cards", joules: 40 });
    expect(meter(0, { joules: null })).toBeNull();
  });

  it.each(["darwin", "win32"] as const)("knows only the cards on %s", (platform) => {
    const meter = energyMeter(platform, { battery: () => 1, rapl: () => 1 });
    expect(meter(0, null)).toBeNull();
    expect(meter(0, { joules: 40 })).toEqual({ meter: "cards", joules: 40 });
  });
});
