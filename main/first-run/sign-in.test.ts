import { expect, it } from "vitest";
import { consolePage } from "./sign-in.ts";

const server = "https://office:3210";

it.each([
  ["https://gleaner.example.org/console/", "https://gleaner.example.org/console/"],
  ["http://127.0.0.1:3211/console/", "https://office:3211/console/"],
  ["https://localhost:3211/console/#/devices", "https://office:3211/console/"],
  ["http://console.example.org/", "http://console.example.org/"],
])("opens %s as %s", (address, page) => {
  expect(consolePage(address, server)).toBe(page);
});

it("leaves a loopback address to a server on this computer", () => {
  expect(consolePage("http://127.0.0.1:3211/console/", "http://127.0.0.1:3210")).toBe(
    "http://127.0.0.1:3211/console/",
  );
});

it.each([
  "",
  "/console/",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "ms-settings:",
  "https://office@evil/",
])("opens no page at %j", (address) => {
  expect(consolePage(address, server)).toBeNull();
});

it("opens no address of any length", () => {
  expect(consolePage(`https://office/${"a".repeat(500)}`, server)).toBeNull();
});
