import { describe, expect, it } from "vitest";
import { managedFile, type ManagedSettings, readManagedSettings } from "./managed-settings.ts";

const pin = `sha256:${"ab".repeat(32)}`;
const whole = {
  server: "https://gleaner.example.org:3210",
  pin,
  code: "GLN-7K2M-9QXD-4WHT",
  insecureHttp: false,
  requireKeychain: true,
  rules: { allowOnBattery: false, maxTemperatureC: null },
};

function settingsOf(raw: unknown): ManagedSettings | null {
  const read = readManagedSettings(raw);
  return read.kind === "read" ? read.settings : null;
}

describe("managed settings", () => {
  it("are read whole", () => {
    expect(readManagedSettings(whole)).toMatchObject({
      kind: "read",
      ignored: [],
      settings: { ...whole, rules: { values: whole.rules } },
    });
    expect(managedFile.safeParse(whole).success).toBe(true);
  });

  it("leave out what is unknown, and lock a rule with a wrong value at its default", () => {
    const rules = { quiet: true, idleAfterSeconds: 1, unheardOf: 3 };
    const read = readManagedSettings({ ...whole, wallpaper: "blue", rules });
    expect(read).toMatchObject({
      kind: "read",
      ignored: ["wallpaper", "rules.idleAfterSeconds", "rules.unheardOf"],
      settings: { rules: { values: { quiet: true } } },
    });
    expect(settingsOf({ rules })?.rules.locked.toSorted()).toEqual(["idleAfterSeconds", "quiet"]);
  });

  it.each([
    [{ server: "office:3210" }, /^server has to be an address/],
    [{ server: "https://gleaner.münchen.example" }, /^server .* xn--/],
    [{ requireKeychain: "true" }, /^requireKeychain has to be true or false/],
    [{ pin: "sha256:ab" }, /^pin has to be/],
    [{ code: "GLN-1" }, /^code has to be/],
    [{ rules: [] }, /^rules has to be an object/],
    [[], /object/],
    ["server", /object/],
  ])("refuse %j, since without it more would be allowed", (raw, words) => {
    const read = readManagedSettings(raw);
    expect(read.kind).toBe("wrong");
    if (read.kind === "wrong") expect(read.problems[0]).toMatch(words);
  });

  it.each([
    ["https://office:3210/console/", "https://office:3210"],
    ["HTTPS://Office.Example:443/", "https://office.example"],
    ["http://office:80", "http://office"],
    ["https://[2001:db8::1]:3210", "https://[2001:db8::1]:3210"],
  ])("take the address %s as %s", (given, server) => {
    expect(settingsOf({ server: given })?.server).toBe(server);
  });

  it("take a pin as browsers show it, and a code as people type it", () => {
    const shown = pin
      .slice("sha256:".length)
      .toUpperCase()
      .replace(/..(?=.)/g, "$&:");
    expect(settingsOf({ pin: `SHA256:${shown}` })?.pin).toBe(pin);
    expect(settingsOf({ code: " gln-7k2m-9qxd-4wht " })?.code).toBe(whole.code);
  });
});
