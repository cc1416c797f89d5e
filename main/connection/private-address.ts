import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";

const privateRanges = new BlockList();
privateRanges.addSubnet("10.0.0.0", 8);
privateRanges.addSubnet("172.16.0.0", 12);
privateRanges.addSubnet("192.168.0.0", 16);
privateRanges.addSubnet("169.254.0.0", 16);

/** Whether an IPv4 address is private, so that internet routers drop it. */
export function isPrivate(address: string): boolean {
  return /^[\d.]+$/.test(address) && privateRanges.check(address);
}

/** This machine's own private addresses. */
export function privateAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ family, internal, address }) => family === "IPv4" && !internal && isPrivate(address))
    .map(({ address }) => address)
    .sort();
}

/** The addresses at which this machine hears and tells its networks. By loopback, programs on one computer find each other. */
export function nearbyAddresses(): readonly string[] {
  return ["127.0.0.1", ...privateAddresses()];
}
