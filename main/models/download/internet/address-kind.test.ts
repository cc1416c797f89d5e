import { expect, it } from "vitest";
import { addressKind } from "./address-kind.ts";

const kind = (address: string): string => addressKind(address, ["10.9.9.9", "2001:db8::9"]);

it.each(["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1"])(
  "%s is public",
  (address) => expect(kind(address)).toBe("public"),
);

it.each([
  ...["10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1"],
  ...["fd00::1", "::ffff:192.168.1.1", "64:ff9b::10.0.0.1", "2002:0a00:0001::1"],
])("%s is private", (address) => expect(kind(address)).toBe("private"));

it.each([
  ...["127.0.0.1", "127.8.8.8", "0.0.0.0", "169.254.169.254", "224.0.0.251", "255.255.255.255"],
  ...["::1", "::", "fe80::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "64:ff9b::127.0.0.1"],
  ...["64:ff9b::a9fe:a9fe", "2002:7f00:0001::", "2001:0:7f00:1::"],
])("%s is forbidden", (address) => expect(kind(address)).toBe("forbidden"));

it("forbids this computer's own addresses, and anything that is no address", () => {
  for (const own of ["10.9.9.9", "::ffff:10.9.9.9", "2001:db8::9", "localhost", ""]) {
    expect(kind(own)).toBe("forbidden");
  }
});
