import { expect, it } from "vitest";
import { isInRanges, maxRanges, parseRanges } from "./addresses.ts";

const whyOf = (text: string): string => {
  const parsed = parseRanges([text]);
  return parsed.kind === "wrong" ? parsed.why : "";
};

it.each([
  "192.0.2.7",
  "10.0.0.0/8",
  "0.0.0.0/0",
  "255.255.255.255/32",
  "2001:db8::/32",
  "::1",
  "::",
  "::/0",
  "1:2:3:4:5:6:7:8",
  "1:2:3:4:5:6:7::",
  "fe80::1:2/127",
  "64:ff9b::192.0.2.33",
  "::ffff:192.0.2.7",
])("%s is an address or a network", (text) => {
  expect(parseRanges([text])).toEqual({ kind: "ok", ranges: [text] });
});

it.each([
  "office",
  "192.0.2",
  "192.0.2.256",
  "192.0.2.007",
  "192.0.2.7.8",
  "192.0.2.7/24/8",
  "10.0.0.0/",
  "10.0.0.0/-1",
  "1::2::3",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8::",
  "1:2:3:4:5:6:7:8:9",
  "12345::",
  "g::1",
  ":::",
  "192.0.2.7::1",
  "fe80::1%eth0",
])("%s is neither", (text) => {
  expect(whyOf(text)).not.toBe("");
});

it("says what is wrong with a network", () => {
  expect(whyOf("10.0.0.0/33")).toContain("from 0 to 32");
  expect(whyOf("2001:db8::/129")).toContain("from 0 to 128");
  expect(whyOf("10.0.0.5/8")).toContain("an address within a network");
});

it("bounds the list, and leaves out blanks and repeats", () => {
  expect(parseRanges([" 10.0.0.0/8", "10.0.0.0/8", "", "2001:DB8::/32"])).toEqual({
    kind: "ok",
    ranges: ["10.0.0.0/8", "2001:db8::/32"],
  });
  const many = Array.from({ length: maxRanges + 1 }, (_, at) => `192.0.2.${String(at)}`);
  expect(parseRanges(many).kind).toBe("wrong");
  expect(parseRanges(many.slice(1)).kind).toBe("ok");
});

it.each([
  ["192.0.2.7", "192.0.2.7", true],
  ["192.0.2.8", "192.0.2.7", false],
  ["10.255.0.1", "10.0.0.0/8", true],
  ["11.0.0.1", "10.0.0.0/8", false],
  ["203.0.113.9", "0.0.0.0/0", true],
  ["2001:db8:1::9", "2001:db8::/32", true],
  ["2001:DB8:1::9", "2001:db8::/32", true],
  ["2001:db9::9", "2001:db8::/32", false],
  ["0:0:0:0:0:0:0:1", "::1", true],
  ["::ffff:10.1.2.3", "10.0.0.0/8", true],
  ["10.1.2.3", "::ffff:10.1.2.3", true],
  ["10.1.2.3", "::/0", false],
  ["2001:db8::1", "0.0.0.0/0", false],
  ["unknown", "0.0.0.0/0", false],
  ["", "::/0", false],
])("%s in %s: %s", (address, range, isIn) => {
  expect(isInRanges(address, ["198.51.100.1", range])).toBe(isIn);
});

it("an empty list contains no address", () => {
  expect(isInRanges("192.0.2.7", [])).toBe(false);
});
