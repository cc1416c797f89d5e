import { describe, expect, it } from "vitest";
import { isVisible, visibleJson, visibleText } from "./visible.ts";

const hidden = [
  ["an escape sequence", "\u001b[31mred"],
  ["a one-byte escape sequence", "\u009b31mred"],
  ["a line break", "a\nb"],
  ["a bell", "a\u0007"],
  ["a mark that reverses text", "invoice\u202efdp.exe"],
  ["an isolate", "a\u2066b\u2069"],
  ["an Arabic letter mark", "a\u061cb"],
  ["a zero-width space", "Ad\u200ba"],
  ["half of a surrogate pair", "a\ud800b"],
  ["a soft hyphen", "Ad\u00ada"],
  ["a deprecated format character", "a\u206ab\u206f"],
  ["an empty Hangul letter", "a\u3164\u115f\u1160\uffa0"],
  ["a combining mark that joins nothing", "a\u034fb"],
  ["tag characters", "a\u{e0001}\u{e0041}\u{e007f}"],
  ["a sign of annotated text", "a\ufff9b\ufffb"],
] as const;

describe("text that hides something", () => {
  it.each(hidden)("is found: %s", (_name, text) => {
    expect(isVisible(text)).toBe(false);
    expect(isVisible(visibleText(text))).toBe(true);
  });

  it("is shown with a sign at each hidden character, and in one line", () => {
    expect(visibleText("a\u001b[2Jb")).toBe("a\ufffd[2Jb");
    expect(visibleText("a\r\n\tb")).toBe("a b");
  });

  it("is escaped in JSON, which stays the same value", () => {
    const value = { name: "a\u202eb\u009bc\ud800", tags: "\u{e0041}", lines: "x\ny" };
    const json = visibleJson(JSON.stringify(value, null, 2));
    expect(JSON.parse(json)).toEqual(value);
    expect(json.split("\n").every(isVisible)).toBe(true);
  });
});

it.each([
  "Ada's laptop",
  "שלום",
  "نور",
  "日本語",
  "👩‍👩‍👧",
  "❤️",
  "葛\u{e0100}城",
  "ᠮᠣᠩ\u180bᠭᠣᠯ",
  "می‌خواهم",
  "क्‍ष",
  "naïve – “quoted” 100 %",
])("leaves %s alone", (text) => {
  expect(isVisible(text)).toBe(true);
  expect(visibleText(text)).toBe(text);
});
