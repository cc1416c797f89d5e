import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { known, unknown } from "../../../app/facts/facts.ts";
import { parseAnonymousBytes } from "../base/own-use.ts";
import type { Needs, Sensor } from "../base/sensor.ts";
import { treeOf } from "../base/tree.fixture.ts";
import { linuxMemorySensor, parseMemAvailable } from "../common/memory.ts";
import { cameraSensor } from "./files/camera.ts";
import { displayPowerSensor } from "./files/display-power.ts";
import { acpiLidSensor } from "./files/lid.ts";
import { microphoneSensor } from "./files/microphone.ts";
import { readPowerSupply } from "./files/power-supply.ts";
import { linuxProcessesSensor } from "./files/processes.ts";
import { readThermal } from "./files/thermal.ts";
import { terminalIdle } from "./idle/terminals.ts";

const needs = (...programs: readonly string[]): Needs => ({ facts: new Set(), programs, running: false });
const sample = async (sensor: Sensor, ...programs: readonly string[]) => sensor.sample?.(needs(...programs));

describe("/sys/class/power_supply", () => {
  const battery = (name: string, values: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      Object.entries({ type: "Battery", ...values }).map(([key, value]) => [`${name}/${key}`, `${value}\n`]),
    );

  it("reads mains power from a laptop on its charger", () => {
    const tree = treeOf({
      "AC/type": "Mains\n",
      "AC/online": "1\n",
      ...battery("BAT0", { status: "Not charging", capacity: "80" }),
    });
    expect(readPowerSupply(tree)).toEqual({ power: known("ac"), batteryPercent: known(80) });
  });

  it("weighs the two batteries of a laptop by their sizes", () => {
    const tree = treeOf({
      "AC/type": "Mains\n",
      "AC/online": "0\n",
      ...battery("BAT0", { status: "Discharging", capacity: "10", energy_full: "20000000" }),
      ...battery("BAT1", { status: "Unknown", capacity: "70", energy_full: "40000000" }),
    });
    expect(readPowerSupply(tree)).toEqual({ power: known("battery"), batteryPercent: known(50) });
  });

  it("reads mains power from a laptop that charges through USB-C", () => {
    expect(readPowerSupply(treeOf(battery("BAT0", { status: "Charging", capacity: "12" }))).power).toEqual(
      known("ac"),
    );
    const tree = treeOf({
      "ucsi/type": "USB\n",
      "ucsi/online": "1\n",
      ...battery("BAT0", { status: "Unknown" }),
    });
    expect(readPowerSupply(tree)).toEqual({ power: known("ac"), batteryPercent: unknown });
  });

  it("does not count a mouse's battery as the computer's", () => {
    const mouse = battery("hidpp_battery_0", { scope: "Device", status: "Discharging", capacity: "30" });
    expect(readPowerSupply(treeOf(mouse))).toEqual({ power: known("ac"), batteryPercent: unknown });
    expect(readPowerSupply("/nowhere")).toEqual({ power: known("ac"), batteryPercent: unknown });
  });

  it("does not guess the power from a battery without a status", () => {
    const tree = treeOf(battery("BAT0", { status: "Unknown", capacity: "200" }));
    expect(readPowerSupply(tree)).toEqual({ power: unknown, batteryPercent: unknown });
  });
});

describe("heat", () => {
  const zone = (temperature: string): Record<string, string> => ({
    "zones/thermal_zone0/type": "x86_pkg_temp\n",
    "zones/thermal_zone0/temp": `${temperature}\n`,
    "zones/thermal_zone0/trip_point_0_type": "active\n",
    "zones/thermal_zone0/trip_point_0_temp": "60000\n",
    "zones/thermal_zone0/trip_point_1_type": "passive\n",
    "zones/thermal_zone0/trip_point_1_temp": "85000\n",
    "zones/thermal_zone0/trip_point_2_type": "critical\n",
    "zones/thermal_zone0/trip_point_2_temp": "100000\n",
    "zones/thermal_zone0/trip_point_3_type": "passive\n",
    "zones/thermal_zone0/trip_point_3_temp": "0\n",
  });
  const read = (files: Record<string, string>) => {
    const tree = treeOf(files);
    return readThermal(join(tree, "zones"), join(tree, "chips"));
  };

  it.each([
    ["45000", 45, "nominal"],
    ["60000", 60, "fair"],
    ["91400", 91, "serious"],
    ["100000", 100, "critical"],
  ])("reads a zone at %s as %i °C and %s", (temperature, degrees, state) => {
    expect(read(zone(temperature))).toEqual({
      temperatureC: known(degrees),
      thermal: known(state),
      fanRpm: unknown,
    });
  });

  it("takes the hottest sensor of the processor, and none of a disk", () => {
    const found = read({
      "chips/hwmon0/name": "nvme\n",
      "chips/hwmon0/temp1_input": "95000\n",
      "chips/hwmon1/name": "coretemp\n",
      "chips/hwmon1/temp1_input": "50000\n",
      "chips/hwmon1/temp2_input": "62000\n",
      "chips/hwmon1/temp3_input": "-128000\n",
      "zones/thermal_zone0/type": "iwlwifi_1\n",
      "zones/thermal_zone0/temp": "70000\n",
    });
    expect(found).toEqual({ temperatureC: known(62), thermal: unknown, fanRpm: unknown });
  });

  it("takes the fastest fan, in hundreds, and none that reports nonsense", () => {
    const found = read({
      "chips/hwmon0/name": "thinkpad\n",
      "chips/hwmon0/fan1_input": "3127\n",
      "chips/hwmon0/fan2_input": "1800\n",
      "chips/hwmon1/fan1_input": "65535\n",
    });
    expect(found.fanRpm).toEqual(known(3_100));
  });

  it("does not know the temperature in a virtual machine", () => {
    expect(read({})).toEqual({ temperatureC: unknown, thermal: unknown, fanRpm: unknown });
  });
});

describe("graphics", () => {
  const tree = () =>
    treeOf({
      "card1-HDMI-A-1/status": "disconnected\n",
      "card1-HDMI-A-1/dpms": "On\n",
      "card1-eDP-1/status": "connected\n",
      "card1-eDP-1/dpms": "Off\n",
    });

  it("reports the display off when every connected screen is dark", async () => {
    const folder = tree();
    expect(await sample(displayPowerSensor(folder))).toEqual({ displayOff: known(true) });
    writeFileSync(join(folder, "card1-eDP-1/dpms"), "On\n");
    expect(await sample(displayPowerSensor(folder))).toEqual({ displayOff: known(false) });
    expect(await sample(displayPowerSensor("/nowhere"))).toEqual({ displayOff: unknown });
  });
});

describe("lid", () => {
  it.each([
    ["state:      open\n", known(false)],
    ["state:      closed\n", known(true)],
    ["state:      unsupported\n", unknown],
  ])("reads the lid from ACPI's %j", async (state, lidClosed) => {
    expect(await sample(acpiLidSensor(treeOf({ "LID0/state": state })))).toEqual({ lidClosed });
  });
});

describe("camera and microphone", () => {
  const camera = (files: Record<string, string>, now?: () => number) => {
    const tree = treeOf(files);
    const places = {
      devices: join(tree, "video4linux"),
      module: join(tree, "refcnt"),
      processes: join(tree, "proc"),
    };
    return { tree, sensor: cameraSensor(places, now) };
  };
  const usb = { "video4linux/video0/device/uevent": "DRIVER=uvcvideo\nPRODUCT=1/2/3\n" };

  it("knows from its driver whether a USB camera is in use", async () => {
    const { tree, sensor } = camera({ ...usb, refcnt: "0\n" });
    expect(await sample(sensor)).toEqual({ cameraInUse: known(false) });
    writeFileSync(join(tree, "refcnt"), "1\n");
    expect(await sample(sensor)).toEqual({ cameraInUse: known(true) });
  });

  it("scans the open files for any other camera once a minute", async () => {
    let now = 0;
    const files = {
      "video4linux/video4/device/uevent": "DRIVER=ipu6\n",
      "proc/12/fd/3": "-> /dev/null",
      "proc/40/fd/9": "-> /dev/video4",
    };
    const { sensor } = camera(files, () => now);
    expect(await sample(sensor)).toEqual({ cameraInUse: known(true) });
    const idle = camera({ ...files, "proc/40/fd/9": "-> /dev/tty" }, () => now);
    expect(await sample(idle.sensor)).toEqual({ cameraInUse: known(false) });
    now += 30_000;
    expect(await sample(idle.sensor)).toEqual({ cameraInUse: known(false) });
  });

  it("reports no camera in use without a camera", async () => {
    expect(await sample(camera({}).sensor)).toEqual({ cameraInUse: known(false) });
  });

  it("reports the microphone in use while a sound card records, and not while it plays", async () => {
    const tree = treeOf({
      "card0/pcm0p/sub0/status": "state: RUNNING\nowner_pid   : 1200\n",
      "card0/pcm0c/sub0/status": "closed\n",
    });
    expect(await sample(microphoneSensor(tree))).toEqual({ microphoneInUse: known(false) });
    writeFileSync(join(tree, "card0/pcm0c/sub0/status"), "state: RUNNING\nowner_pid   : 1200\n");
    expect(await sample(microphoneSensor(tree))).toEqual({ microphoneInUse: known(true) });
    expect(await sample(microphoneSensor("/nowhere"))).toEqual({ microphoneInUse: unknown });
  });
});

describe("excluded programs", () => {
  it("finds excluded programs in any letter case, and with names that the kernel cuts off", async () => {
    const tree = treeOf({
      "1/comm": "systemd\n",
      "77/comm": "gnome-boxes-ver\n",
      "77/cmdline": "/usr/bin/gnome-boxes-very-long\0--open\0",
      "self/comm": "blender\n",
    });
    const sensor = linuxProcessesSensor(tree);
    expect(await sample(sensor, "Blender", "gnome-boxes-very-long")).toEqual({
      excludedProgram: known("gnome-boxes-very-long"),
    });
    expect(await sample(sensor, "SystemD.exe")).toEqual({ excludedProgram: known("SystemD.exe") });
    expect(await sample(sensor, "blender")).toEqual({ excludedProgram: known(null) });
  });

  it("finds no excluded program that does not run here", async () => {
    expect(await sample(linuxProcessesSensor(), "surely-not-there")).toEqual({
      excludedProgram: known(null),
    });
  });
});

describe("memory", () => {
  it("counts available memory and what our own runner would give back", async () => {
    const text = "MemTotal:       16000000 kB\nMemFree:          100000 kB\nMemAvailable:    1048576 kB\n";
    const path = join(treeOf({ meminfo: text }), "meminfo");
    expect(await sample(linuxMemorySensor(() => 512 * 2 ** 20, path))).toEqual({
      memoryFreeMb: known(1_536),
    });
    expect(parseMemAvailable("MemFree: 1 kB\n")).toBeNull();
    expect(await sample(linuxMemorySensor(() => 0, "/nowhere"))).toEqual({ memoryFreeMb: unknown });
  });

  it("leaves the pages of the mapped model out of the runner's memory", () => {
    expect(parseAnonymousBytes("VmRSS:\t  900 kB\nRssAnon:\t     300 kB\nRssFile:\t     600 kB\n")).toBe(
      307_200,
    );
    expect(parseAnonymousBytes("")).toBe(0);
  });
});

describe("terminals", () => {
  it("knows when somebody last typed at any terminal", () => {
    const tree = treeOf({ "pts/0": "", "pts/3": "", "pts/ptmx": "" });
    const at = (name: string, seconds: number): void => utimesSync(join(tree, "pts", name), seconds, 0);
    at("0", 1_000);
    at("3", 5_000);
    at("ptmx", 9_000);
    let passed = 0;
    let started = 5_300_000;
    const idle = terminalIdle(tree, { wall: () => started + passed, steady: () => passed });
    expect(idle.sample()).toEqual(known(300));
    at("0", 5_301);
    passed += 1_000;
    expect(idle.sample()).toEqual(known(301));
    passed += 2_000;
    expect(idle.sample()).toEqual(known(2));
    // The clock is set back an hour. The last input lies in the future then.
    started -= 3_600_000;
    passed += 60_000;
    expect(idle.sample()).toEqual(known(62));
  });

  it("does not know the idle time without terminals", () => {
    expect(terminalIdle(treeOf({ nothing: "" })).sample()).toEqual(unknown);
  });
});
