import { describe, expect, it } from "vitest";
import { effectiveRules, noOrganizationRules } from "../policy/rule-layers.ts";
import { defaultRules } from "../policy/rules.ts";
import { managedFile, readManagedSettings } from "./managed-settings.ts";

const pin = `sha256:${"ab".repeat(32)}`;
const whole = {
  server: "https://gleaner.example.org:3210",
  pin,
  code: "GLN-7K2M-9QXD-4WHT",
  insecureHttp: false,
  requireKeychain: true,
  rules: { allowOnBattery: false, maxTemperatureC: null },
};

describe("managed settings", () => {
  it("are read whole", () => {
    const read = readManagedSettings(whole);
    expect(read?.ignored).toEqual([]);
    expect(read?.settings).toMatchObject({ ...whole, rules: { values: whole.rules } });
    expect(managedFile.safeParse(whole).success).toBe(true);
  });

  it("keep what is right beside a mistake, and name the mistake", () => {
    const read = readManagedSettings({
      ...whole,
      server: "ftp://office",
      wallpaper: "blue",
      rules: { quiet: true, idleAfterSeconds: 1, unheardOf: 3 },
    });
    expect(read?.settings).toMatchObject({ pin, code: whole.code });
    expect(read?.settings.server).toBeUndefined();
    expect(read?.ignored.toSorted()).toEqual([
      "rules.idleAfterSeconds",
      "rules.unheardOf",
      "server",
      "wallpaper",
    ]);
    // A rule with a wrong value stays locked, at its default.
    expect(read?.settings.rules).toEqual({
      values: { quiet: true, allowLeave: false },
      locked: expect.arrayContaining(["quiet", "idleAfterSeconds"]) as string[],
    });
  });

  it("take an address without its path", () => {
    expect(readManagedSettings({ server: "https://office:3210/console/" })?.settings.server).toBe(
      "https://office:3210",
    );
  });

  it("are no list and no text", () => {
    expect(readManagedSettings([])).toBeNull();
    expect(readManagedSettings("server")).toBeNull();
    expect(readManagedSettings({ rules: "all" })?.ignored).toEqual(["rules"]);
  });

  it("keep a computer with a code in its organization, unless they allow to leave", () => {
    const mayLeave = (raw: object): boolean => {
      const { settings } = readManagedSettings(raw)!;
      return effectiveRules({
        base: defaultRules,
        donor: {},
        organization: noOrganizationRules,
        managed: settings.rules,
      }).rules.allowLeave;
    };
    expect(mayLeave({ code: whole.code })).toBe(false);
    expect(mayLeave({ code: whole.code, rules: { allowLeave: true } })).toBe(true);
    expect(mayLeave({ server: whole.server })).toBe(true);
  });
});
