import { expect, it } from "vitest";
import { isOlder, isVersion, newerOf, oldestVersion, requiredSince } from "./versions.ts";

it.each([
  ["0.1.0", "0.1.0", false],
  ["0.1.9", "0.1.10", true],
  ["0.2.0", "0.10.0", true],
  ["1.0.0", "0.9.9", false],
  ["0.2.0-beta.1", "0.2.0", false],
  [null, "0.1.0", true],
  ["unknown", "0.1.0", true],
  ["1.0.0.0", "0.1.0", true],
])("%s is older than %s: %s", (version, than, older) => {
  expect(isOlder(version, than)).toBe(older);
});

it("the oldest accepted version can do all that the protocol requires", () => {
  expect(Object.values(requiredSince).filter((since) => isOlder(oldestVersion, since))).toEqual([]);
  expect([newerOf("0.9.0", "0.10.0"), newerOf("0.10.0", "0.9.0")]).toEqual(["0.10.0", "0.10.0"]);
});

it("a version is three numbers, and perhaps a suffix", () => {
  expect(["0.1.0", "10.0.3-rc.1"].every(isVersion)).toBe(true);
  expect(["", "1", "v1.0.0", "1.0", "1.0.0 ", "9999999.0.0"].some(isVersion)).toBe(false);
});
