import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/**
 * - `public`: on the internet
 * - `private`: in a network of the organization or of the home
 * - `forbidden`: this computer itself, its immediate link (where clouds keep their metadata), or not a computer at all
 */
export type AddressKind = "public" | "private" | "forbidden";

type Range = readonly [address: string, bits: number];

const forbiddenV4: readonly Range[] = [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["192.0.0.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
const privateV4: readonly Range[] = [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
];
/** The last is Teredo, which hides an IPv4 address. */
const forbiddenV6: readonly Range[] = [
  ["::", 128],
  ["::1", 128],
  ["fe80::", 10],
  ["ff00::", 8],
  ["2001::", 32],
];
const privateV6: readonly Range[] = [
  ["fc00::", 7],
  ["fec0::", 10],
];

const forbidden = listOf(forbiddenV4, forbiddenV6);
const nearby = listOf(privateV4, privateV6);

/**
 * Judges an IP address by its range. Every address of this computer is forbidden, too.
 * @param own this computer's addresses
 */
export function addressKind(address: string, own: readonly string[] = ownAddresses()): AddressKind {
  const family = isIP(address);
  if (family === 0) return "forbidden";
  const type = family === 4 ? "ipv4" : "ipv6";
  const self = new BlockList();
  for (const each of own) self.addAddress(each, isIP(each) === 4 ? "ipv4" : "ipv6");
  if (forbidden.check(address, type) || self.check(address, type)) return "forbidden";
  return nearby.check(address, type) ? "private" : "public";
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

/** A list of ranges. It also contains the IPv6 forms of its IPv4 ranges. `BlockList` itself knows ::ffff:0:0/96. */
function listOf(v4: readonly Range[], v6: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of v6) list.addSubnet(address, bits, "ipv6");
  for (const [address, bits] of v4) {
    list.addSubnet(address, bits, "ipv4");
    // NAT64, and 6to4.
    list.addSubnet(`64:ff9b::${address}`, 96 + bits, "ipv6");
    const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
    list.addSubnet(`2002:${hex(a, b)}:${hex(c, d)}::`, 16 + bits, "ipv6");
  }
  return list;
}

function hex(high: number, low: number): string {
  return (high * 256 + low).toString(16);
}
