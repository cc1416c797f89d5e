import type { NetworkInterfaceInfo } from "node:os";

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/**
 * The address at which other computers reach a server that listens on `host`. Null for loopback, which they cannot
 * reach. For "all addresses", the machine's first IPv4 address that is not internal.
 */
export function publicName(host: string, interfaces: Interfaces): string | null {
  if (host === "localhost" || host === "::1" || host.startsWith("127.")) return null;
  if (host !== "0.0.0.0" && host !== "::") return host.includes(":") ? `[${host}]` : host;
  const addresses = Object.values(interfaces).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? null;
}
