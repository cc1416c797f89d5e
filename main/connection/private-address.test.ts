import { expect, it } from "vitest";
import { isPrivate, privateAddresses } from "./private-address.ts";

it.each(["10.1.2.3", "172.16.0.1", "172.31.255.254", "192.168.1.1", "169.254.3.4"])(
  "accepts the private address %s",
  (address) => expect(isPrivate(address)).toBe(true),
);

it.each([
  "8.8.8.8",
  "172.32.0.1",
  "192.169.0.1",
  "127.0.0.1",
  "0.0.0.0",
  "::1",
  "fe80::1",
  "example.org",
  "",
])("rejects the address %j", (address) => expect(isPrivate(address)).toBe(false));

it("finds only private addresses of this machine", () => {
  expect(privateAddresses().every(isPrivate)).toBe(true);
});
