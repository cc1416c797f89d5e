import type { NetworkInterfaceInfo } from "node:os";
import { expect, it } from "vitest";
import { publicName } from "./public-name.ts";

const address = (ip: string, internal = false) =>
  ({ address: ip, family: "IPv4", internal }) as NetworkInterfaceInfo;
const interfaces = { lo: [address("127.0.0.1", true)], eth0: [address("192.0.2.7")] };

it("finds no public name on loopback", () => {
  for (const host of ["127.0.0.1", "127.0.0.9", "localhost", "::1"])
    expect(publicName(host, interfaces)).toBeNull();
});

it("takes the address itself, in brackets if it has colons", () => {
  expect(publicName("192.0.2.9", interfaces)).toBe("192.0.2.9");
  expect(publicName("2001:db8::1", interfaces)).toBe("[2001:db8::1]");
});

it("takes the machine's first outward address if it listens on all, and none without a network", () => {
  expect(publicName("0.0.0.0", interfaces)).toBe("192.0.2.7");
  expect(publicName("0.0.0.0", { lo: interfaces.lo })).toBeNull();
});
