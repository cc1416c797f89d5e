import { describe, expect, it } from "vitest";
import { known, unknown } from "../../app/facts/facts.ts";
import { firstExcluded } from "./base/program-names.ts";
import type { Found } from "./base/sensor.ts";
import { parseVmStat } from "./common/memory.ts";
import { interfaceNames, parseDnsSuffixes } from "./common/network-names.ts";
import { readThermalState, shellSensor, type SystemEvent } from "./common/shell-sensor.ts";
import { parsePmset } from "./macos/battery.ts";
import { parseClamshell } from "./macos/lid.ts";
import { parsePs } from "./macos/processes.ts";
import { parseConsentStore } from "./windows/consent-store.ts";
import { parseProfile } from "./windows/network-profile.ts";
import { parseTasklist } from "./windows/processes.ts";

describe("Windows", () => {
  const store =
    "HKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\CapabilityAccessManager\\ConsentStore";
  const entry = (capability: string, program: string, stop: string): string =>
    `\r\n${store}\\${capability}\\NonPackaged\\${program}\r\n    LastUsedTimeStop    REG_QWORD    ${stop}\r\n`;

  it("counts a camera or microphone as in use while Windows records no end", () => {
    const text =
      entry("microphone", "C:#Program Files#Zoom#bin#Zoom.exe", "0x0") +
      entry("microphone", "C:#Windows#recorder.exe", "0x1d9f0a7c2b3e4f5") +
      entry("webcam", "C:#Program Files#Zoom#bin#Zoom.exe", "0x1d9f0a7c2b3e4f5") +
      entry("location", "C:#maps.exe", "0x0") +
      "\r\nEnd of search: 4 match(es) found.\r\n";
    expect(parseConsentStore(text)).toEqual({ cameraInUse: known(false), microphoneInUse: known(true) });
  });

  it("does not know about camera and microphone if none was ever used", () => {
    expect(parseConsentStore("End of search: 0 match(es) found.")).toEqual({
      cameraInUse: unknown,
      microphoneInUse: unknown,
    });
  });

  it("finds excluded programs in the output of tasklist", () => {
    const text =
      '"System Idle Process","0","Services","0","8 K"\r\n"Teams.exe","4312","Console","1","204,512 K"\r\n';
    const running = parseTasklist(text);
    expect(firstExcluded(["obs", "TEAMS"], running)).toBe("TEAMS");
    expect(firstExcluded(["obs"], running)).toBeNull();
  });

  it.each([
    ['{"cost":1,"roaming":false,"name":"Office"}', known(false), known(["Ethernet", "Office"])],
    ['{"cost":1,"roaming":true,"name":"Hotel"}', known(true), known(["Ethernet", "Hotel"])],
    ['{"cost":2,"roaming":false,"name":"Phone"}', known(true), known(["Ethernet", "Phone"])],
    ['{"cost":0}', unknown, known(["Ethernet"])],
    ["{}", unknown, known(["Ethernet"])],
  ])("reads Windows' connection profile %s", (text, metered, networks) => {
    expect(parseProfile(text, ["Ethernet"])).toEqual({ metered, networks });
  });

  it("reads no fact from output that is no connection profile", () => {
    expect(parseProfile("The term is not recognized", [])).toEqual({});
  });
});

describe("macOS", () => {
  it.each([
    [
      "Now drawing from 'Battery Power'\n -InternalBattery-0 (id=4653155)\t87%; discharging; 5:01 remaining present: true\n",
      { power: known("battery"), batteryPercent: known(87) },
    ],
    [
      "Now drawing from 'AC Power'\n -InternalBattery-0 (id=4653155)\t100%; charged; 0:00 remaining present: true\n",
      { power: known("ac"), batteryPercent: known(100) },
    ],
    ["Now drawing from 'AC Power'\n", { power: known("ac"), batteryPercent: unknown }],
    ["", null],
  ])("reads the battery from pmset's %j", (text, reading) => {
    expect(parsePmset(text)).toEqual(reading);
  });

  it("adds up the memory that macOS can make available", () => {
    const text = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                                3000.
Pages active:                            400000.
Pages inactive:                            2000.
Pages speculative:                          500.
Pages purgeable:                            100.
`;
    expect(parseVmStat(text)).toBe(5_600 * 16_384);
    expect(parseVmStat("nonsense")).toBeNull();
  });

  it("reads a Mac's lid, programs and heat", () => {
    expect(parseClamshell('  "AppleClamshellState" = Yes\n')).toEqual({ lidClosed: known(true) });
    expect(parseClamshell("")).toEqual({ lidClosed: unknown });
    expect(parsePs("/sbin/launchd\n/Applications/OBS.app/Contents/MacOS/OBS\n").has("obs")).toBe(true);
    expect(readThermalState("serious")).toEqual(known("serious"));
    expect(readThermalState("unknown")).toEqual(unknown);
  });
});

describe("network names", () => {
  it("names networks by their external interfaces and DNS suffixes", () => {
    const address = { netmask: "", mac: "", cidr: null, family: "IPv4" as const };
    const all = {
      lo: [{ ...address, address: "127.0.0.1", internal: true }],
      wg0: [{ ...address, address: "10.8.0.2", internal: false }],
    };
    expect(interfaceNames(all)).toEqual(["wg0"]);
    expect(parseDnsSuffixes("nameserver 1.1.1.1\nsearch corp.example lan\ndomain lan\nsearch .\n")).toEqual([
      "corp.example",
      "lan",
    ]);
  });
});

describe("a shell's own events", () => {
  it("reports lock, sleep, mains and heat from a shell's events", () => {
    const listeners = new Map<SystemEvent, () => void>();
    const state = { locked: false, battery: false, thermal: "nominal" };
    const sensor = shellSensor({
      source: "a shell",
      isLocked: () => state.locked,
      isOnBattery: () => state.battery,
      thermal: () => state.thermal,
      on: (event, listener) => {
        listeners.set(event, listener);
        return () => listeners.delete(event);
      },
    });
    let found: Found = {};
    const stop = sensor.follow?.((told) => (found = { ...found, ...told }));
    listeners.get("lock")?.();
    listeners.get("battery")?.();
    listeners.get("suspend")?.();
    expect(found).toEqual({ locked: known(true), power: known("battery"), suspended: known(true) });
    state.thermal = "critical";
    listeners.get("thermal-state-change")?.();
    listeners.get("unlock")?.();
    listeners.get("resume")?.();
    expect(found).toEqual({
      locked: known(false),
      power: known("ac"),
      thermal: known("critical"),
      suspended: known(false),
    });
    stop?.();
    expect(listeners.size).toBe(0);
  });
});
