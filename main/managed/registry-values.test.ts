import { expect, it } from "vitest";
import { readManagedSettings } from "../../app/managed/managed-settings.ts";
import { settingsInRegistry } from "./registry-values.ts";

const pin = `sha256:${"ab".repeat(32)}`;

/** The form of `reg query`: a line for each key, four spaces around the kind. */
const printed = [
  "",
  "HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Gleaner",
  "    server    REG_SZ    https://gleaner.example.org:3210",
  `    pin    REG_SZ    ${pin}`,
  "    requireKeychain    REG_DWORD    0x1",
  "",
  "HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Gleaner\\rules",
  "    startAtLogin    REG_DWORD    0x1",
  "    allowOnBattery    REG_DWORD    0x0",
  "    idleAfterSeconds    REG_DWORD    0x12c",
  "    maxOtherCpuLoad    REG_DWORD    0x28",
  "    maxTemperatureC    REG_SZ    none",
  "    excludedPrograms    REG_MULTI_SZ    obs64.exe\\0My Program.exe",
  '    schedule    REG_SZ    [{"days":[6,0],"fromMinute":0,"toMinute":1440}]',
  "    requiredNetworks    REG_MULTI_SZ    ",
  "",
].join("\r\n");

it("are read by the kind of their setting", () => {
  const raw = settingsInRegistry(printed);
  expect(raw).toEqual({
    server: "https://gleaner.example.org:3210",
    pin,
    requireKeychain: true,
    rules: {
      startAtLogin: true,
      allowOnBattery: false,
      idleAfterSeconds: 300,
      maxOtherCpuLoad: 0.4,
      maxTemperatureC: null,
      excludedPrograms: ["obs64.exe", "My Program.exe"],
      schedule: [{ days: [6, 0], fromMinute: 0, toMinute: 1_440 }],
      requiredNetworks: [],
    },
  });
  expect(readManagedSettings(raw)?.ignored).toEqual([]);
});

it("keep a value of the wrong kind, so that it is named as wrong", () => {
  const raw = settingsInRegistry(
    "HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Gleaner\\rules\n    quiet    REG_SZ    yes\n    idle    REG_SZ    {",
  );
  expect(readManagedSettings(raw)?.ignored).toEqual(["rules.quiet", "rules.idle"]);
});

it("are none in an empty answer, and in other keys", () => {
  expect(settingsInRegistry("")).toEqual({});
  expect(
    settingsInRegistry("HKEY_LOCAL_MACHINE\\SOFTWARE\\Gleaner\n    server    REG_SZ    https://x\n"),
  ).toEqual({});
});
