/** The most addresses and networks in the list of a key. */
export const maxRanges = 32;

type Version = 4 | 6;
const bitsOf: Readonly<Record<Version, number>> = { 4: 32, 6: 128 };

/** An IP address as a number. */
type Address = { readonly version: Version; readonly value: bigint };

/** An address or a network: all addresses with the same first bits. */
type Range = Address & { readonly prefix: number };

/** Addresses and networks in lower case, each once; or the reason why a text is none. */
export type ParsedRanges =
  | { readonly kind: "ok"; readonly ranges: readonly string[] }
  | { readonly kind: "wrong"; readonly why: string };

/** Reads IPv4 and IPv6 addresses and networks, such as `192.0.2.7`, `10.0.0.0/8` and `2001:db8::/32`. */
export function parseRanges(texts: readonly string[]): ParsedRanges {
  const ranges = [...new Set(texts.map((text) => text.trim().toLowerCase()).filter((text) => text !== ""))];
  if (ranges.length > maxRanges)
    return { kind: "wrong", why: `At most ${String(maxRanges)} addresses and networks can be listed.` };
  for (const text of ranges) {
    const range = rangeOf(text);
    if (typeof range === "string") return { kind: "wrong", why: range };
  }
  return { kind: "ok", ranges };
}

/** Whether an address is in one of the ranges, which `parseRanges` has accepted. False for a text that is no address. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  const caller = addressOf(address.toLowerCase());
  if (caller === null) return false;
  return ranges.some((text) => {
    const range = rangeOf(text);
    if (typeof range === "string" || range.version !== caller.version) return false;
    return caller.value >> hostBits(range) === range.value >> hostBits(range);
  });
}

/** A range, or what is wrong with the text. */
function rangeOf(text: string): Range | string {
  const [start = "", length, ...more] = text.split("/");
  const address = addressOf(start);
  if (address === null || more.length > 0)
    return `“${text}” is no IP address and no network. Write it as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32.`;
  const most = bitsOf[address.version];
  if (length === undefined) return { ...address, prefix: most };
  const prefix = /^\d{1,3}$/.test(length) ? Number(length) : Infinity;
  if (prefix > most) return `“${text}”: the number behind the slash must be from 0 to ${String(most)}.`;
  const range = { ...address, prefix };
  if ((range.value >> hostBits(range)) << hostBits(range) === range.value) return range;
  return `“${text}” is an address within a network. Write the address without the slash, or the first address of the network.`;
}

function hostBits({ version, prefix }: Range): bigint {
  return BigInt(bitsOf[version] - prefix);
}

function addressOf(text: string): Address | null {
  const value = text.includes(":") ? version6(text) : version4(text);
  if (value === null) return null;
  if (!text.includes(":")) return { version: 4, value };
  // An IPv4 address that a socket for both versions shows as ::ffff:192.0.2.7.
  return value >> 32n === 0xffffn ? { version: 4, value: value & 0xffff_ffffn } : { version: 6, value };
}

function version4(text: string): bigint | null {
  const parts = text.split(".");
  // A leading zero means an octal number to some programs.
  const isValid = parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part));
  if (!isValid || parts.some((part) => Number(part) > 255)) return null;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function version6(text: string): bigint | null {
  const [before = "", after, ...more] = text.split("::");
  if (more.length > 0) return null;
  const [head, tail] = [groupsOf(before, after === undefined), groupsOf(after ?? "", true)];
  if (head === null || tail === null) return null;
  const left = 8 - head.length - tail.length;
  if (after === undefined ? left !== 0 : left < 1) return null;
  const groups = [...head, ...Array.from({ length: left }, () => 0n), ...tail];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** Groups of 16 bits. @param isEnd whether the last two may be written as an IPv4 address. */
function groupsOf(text: string, isEnd: boolean): bigint[] | null {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [at, part] of parts.entries()) {
    const embedded = isEnd && at === parts.length - 1 && part.includes(".") ? version4(part) : null;
    if (embedded !== null) groups.push(embedded >> 16n, embedded & 0xffffn);
    else if (/^[0-9a-f]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return null;
  }
  return groups;
}
