import { isLoopback } from "../../../app/join-command.ts";

/** The names and numbers of addresses that only a private network knows. */
const privateHosts: readonly RegExp[] = [
  /^localhost$|\.localhost$|\.local$|\.internal$|\.home\.arpa$/,
  /^0\.|^10\.|^127\.|^169\.254\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  // IPv6: this machine, unique local and link-local addresses, and IPv4 addresses in another form.
  /^\[(::|::1|f[cd].*|fe[89ab].*|::ffff:.*)\]$/,
];

const maxChars = 2_000;

/**
 * Why a webhook may not have an address; null: it may. The server calls it, so it must not lead into the server's own network.
 * @param serverIsHere only this machine reaches the server. Then the webhook may be on this machine, too.
 */
export function webhookFault(address: string, serverIsHere: boolean): string | null {
  if (address.length > maxChars || !URL.canParse(address)) return "Enter the webhook's whole address.";
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== "" || password !== "") return "The address must not contain a name or a password.";
  if (serverIsHere && isLoopback(address)) return null;
  if (protocol !== "https:") return "The address must begin with https://.";
  return privateHosts.some((pattern) => pattern.test(hostname.toLowerCase()))
    ? "This address is in a private network. The server calls only public ones."
    : null;
}
