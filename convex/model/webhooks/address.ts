import { isLoopback } from "../../../app/join-command.ts";

/** The names and numbers of addresses that only a private network knows, and of those that reach nobody or many. */
const privateHosts: readonly RegExp[] = [
  /^localhost$|\.localhost$|\.local$|\.internal$|\.home\.arpa$/,
  /^0\.|^10\.|^127\.|^169\.254\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^192\.0\.[02]\.|^198\.1[89]\.|^198\.51\.100\.|^203\.0\.113\.|^(22[4-9]|2[3-5]\d)\.\d+\.\d+\.\d+$/,
  // IPv6: all but global unicast addresses (2000::/3), such as this machine, unique local, link-local and multicast ones.
  /^\[(?![23][\da-f]{3}:)/,
  // Of these: IPv4 in other forms (2001::/23 with Teredo, 2002::/16), and documentation.
  /^\[(2001:(:|[\da-f]{1,2}:|1[\da-f]{2}:|db8:)|2002:|3fff:(:|[\da-f]{1,3}:))/,
];

const maxChars = 2_000;
const httpsPort = 443;
/** Lower ports belong to other services, such as mail. */
const firstFreePort = 1_024;

/** The addresses that the operator of the server allows, although others must not be called. */
export type Allowed = {
  /** Only this machine reaches the server. Then a webhook may be on this machine, too. */
  readonly serverIsHere: boolean;
  /** Hosts, such as "hooks.corp.example" or "10.0.0.5:8080": also in a private network, and without TLS. */
  readonly hosts: readonly string[];
};

/** Whether the operator allows the address, wherever it leads. */
export function isExempt(address: string, { serverIsHere, hosts }: Allowed): boolean {
  const { host, hostname } = new URL(address);
  return (serverIsHere && isLoopback(address)) || hosts.includes(host) || hosts.includes(hostname);
}

/**
 * Why a webhook may not have an address; null: it may. The server calls it, so it must not lead into the server's own network.
 */
export function webhookFault(address: string, allowed: Allowed): string | null {
  if (address.length > maxChars || !URL.canParse(address)) return "Enter the webhook's whole address.";
  const { protocol, hostname, username, password, port } = new URL(address);
  if (username !== "" || password !== "") return "The address must not contain a name or a password.";
  if (isExempt(address, allowed))
    return protocol === "http:" || protocol === "https:" ? null : "The address must begin with https://.";
  if (protocol !== "https:") return "The address must begin with https://.";
  if (port !== "" && Number(port) < firstFreePort)
    return `The port must be ${String(httpsPort)}, or ${String(firstFreePort)} or higher.`;
  // A name may end with a dot.
  return isPrivateHost(hostname.toLowerCase().replace(/\.$/, ""))
    ? "This address is in a private network. The server calls only public ones. Its operator can allow it: WEBHOOK_HOSTS."
    : null;
}

/** Whether an IP address, such as "10.0.0.1" or "fd00::1", is in a private network or reaches nobody. */
export function isPrivateIp(ip: string): boolean {
  // A zone, such as "%eth0", is only in link-local addresses.
  if (ip.includes("%")) return true;
  // URLs write each IPv6 address in one form.
  const url = ip.includes(":") ? `http://[${ip}]/` : `http://${ip}/`;
  return !URL.canParse(url) || isPrivateHost(new URL(url).hostname);
}

function isPrivateHost(host: string): boolean {
  return privateHosts.some((pattern) => pattern.test(host));
}

/** The operator's hosts, from a variable with commas. */
export function hostsIn(variable: string | undefined): readonly string[] {
  return (variable ?? "")
    .split(",")
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== "");
}
