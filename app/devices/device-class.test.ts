import { expect, it } from "vitest";
import { deviceClassOf } from "./device-class.ts";

it("names the system and what computes there, in characters that a header may have", () => {
  expect(deviceClassOf("darwin-arm64", "metal")).toBe("darwin-arm64/metal");
  expect(deviceClassOf("linux-x64", null)).toBe("linux-x64");
  expect(deviceClassOf("Línux x64\r\nx: y", "CPU")).toBe("l-nux-x64-x-y/cpu");
});
