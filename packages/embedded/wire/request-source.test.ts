import { expect, test } from "vitest";
import { sourceOf } from "./request-source.ts";

const ip = (isBehindProxy: boolean, remoteAddress: string | undefined, forwarded?: string | string[]) =>
  sourceOf(isBehindProxy)({
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    socket: { remoteAddress } as never,
  }).ip;

test.each<[peer: string, address: string]>([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8::7", "2001:db8::7"],
  ["127.0.0.1", "127.0.0.1"],
])("without a proxy, the address %s is the client, whatever the header says", (peer, address) => {
  expect(ip(false, peer)).toBe(address);
  expect(ip(false, peer, "198.51.100.1")).toBe(address);
});

test.each(["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])("a proxy at %s is trusted", (peer) => {
  expect(ip(true, peer, "203.0.113.7")).toBe("203.0.113.7");
});

test.each<[said: string | string[], address: string | null]>([
  ["6.6.6.6, 203.0.113.7", "203.0.113.7"],
  [["6.6.6.6", "7.7.7.7, 2001:db8::7"], "2001:db8::7"],
  ["203.0.113.7 ,::ffff:203.0.113.8 ", "203.0.113.8"],
  ["203.0.113.7, unknown", null],
  ["203.0.113.7,", null],
  ["", null],
])("only the last of the hops %j counts", (said, address) => {
  expect(ip(true, "127.0.0.1", said)).toBe(address);
});

test("a proxy that names no client gives no address, and other senders are not trusted", () => {
  expect(ip(true, "127.0.0.1")).toBeNull();
  expect(ip(true, "198.51.100.1", "203.0.113.7")).toBe("198.51.100.1");
  expect(ip(true, undefined, "203.0.113.7")).toBeNull();
});
