import { expect, it } from "vitest";
import { readManagedSettings } from "../../app/managed/managed-settings.ts";
import { settingsInRegistry } from "./registry-values.ts";

const pin = `sha256:${"ab".repeat(32)}`;

/** The form of `reg export`: long values go on in the next line. */
const exported = [
  "Windows Registry Editor Version 5.00",
  "",
  "[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Gleaner]",
  '@="a default value"',
  '"Server"="https://gleaner.example.org:3210"',
  `"pin"="${pin}"`,
  '"requirekeychain"=dword:00000001',
  "",
  "[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Gleaner\\rules]",
  '"startAtLogin"=dword:00000001',
  '"allowOnBattery"=dword:00000000',
  '"idleAfterSeconds"=dword:0000012c',
  '"maxOtherCpuLoad"=dword:00000028',
  '"maxTemperatureC"="none"',
  // "Büro.exe" and "D:\0cad", as UTF-16.
  '"excludedPrograms"=hex(7):42,00,fc,00,72,00,6f,00,2e,00,65,00,78,00,65,00,00,00,\\',
  "  44,00,3a,00,5c,00,30,00,63,00,61,00,64,00,00,00,00,00",
  '"schedule"="[{\\"days\\":[6,0],\\"fromMinute\\":0,\\"toMinute\\":1440}]"',
  '"requiredNetworks"=hex(7):00,00',
  "",
].join("\r\n");

it("are read by the kind of their setting", () => {
  const raw = settingsInRegistry(exported);
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
      excludedPrograms: ["Büro.exe", "D:\\0cad"],
      schedule: [{ days: [6, 0], fromMinute: 0, toMinute: 1_440 }],
      requiredNetworks: [],
    },
  });
  expect(readManagedSettings(raw)).toMatchObject({ kind: "read", ignored: [] });
});

it("keep a value of the wrong kind, so that it is named as wrong", () => {
  const rules = '[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Gleaner\\rules]\n"quiet"="yes"\n"idle"="{"';
  expect(readManagedSettings(settingsInRegistry(rules))).toMatchObject({
    ignored: ["rules.quiet", "rules.idle"],
  });
  const field = '[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Gleaner]\n"requireKeychain"=dword:00000002';
  expect(readManagedSettings(settingsInRegistry(field))).toMatchObject({ kind: "wrong" });
});

it("take JSON's null, and none in a rule", () => {
  const rules =
    '[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Gleaner\\rules]\n"schedule"="null"\n"downloadKbps"="none"';
  expect(settingsInRegistry(rules)).toEqual({ rules: { schedule: null, downloadKbps: null } });
});

it("are none in an empty file, and in other keys", () => {
  expect(settingsInRegistry("")).toEqual({});
  expect(settingsInRegistry('[HKEY_LOCAL_MACHINE\\SOFTWARE\\Gleaner]\n"server"="https://x"\n')).toEqual({});
});
