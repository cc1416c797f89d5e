import { isIPv6 } from "node:net";

/** Counts the open connections of each address. */
export class AddressCount {
  readonly #most: number;
  readonly #byAddress = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Counts a connection until the returned function is called, once. Null if its address has too many already.
   * @param address as `networkOf` returns it; null if it is not known, and then it is not limited.
   */
  enter(address: string | null): (() => void) | null {
    if (address === null) return () => undefined;
    const count = this.#byAddress.get(address) ?? 0;
    if (count >= this.#most) return null;
    this.#byAddress.set(address, count + 1);
    return () => {
      const left = (this.#byAddress.get(address) ?? 0) - 1;
      if (left <= 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, left);
    };
  }
}

/** The address to count by. One IPv6 host usually has 2^64 addresses, so the first 64 bits count. */
export function networkOf(ip: string | null): string | null {
  if (ip === null || !isIPv6(ip)) return ip;
  const [head = "", tail] = (ip.split("%", 1)[0] ?? "").split("::");
  const groups = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const first = groups(head);
  const last = groups(tail ?? "");
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  const all = tail === undefined ? first : [...first, ...zeros, ...last];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}
