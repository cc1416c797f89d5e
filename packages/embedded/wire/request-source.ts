import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { type RequestSource, unknownSource } from "../runtime/contract/function-runner.ts";
import { isLoopback } from "./host-check.ts";

export type SourceOf = (request: Pick<IncomingMessage, "headers" | "socket">) => RequestSource;

/** Who sent a request. `isBehindProxy`: clients reach this listener through a proxy on this machine. */
export function sourceOf(isBehindProxy: boolean): SourceOf {
  return ({ headers, socket }) => {
    const peer = plainAddress(socket.remoteAddress);
    const forwarded = headers["x-forwarded-for"];
    // Anybody can send the header; only the proxy's own connection vouches for it.
    const ip = isBehindProxy && peer !== null && isLoopback(peer) ? lastHop(forwarded) : peer;
    return { ip, userAgent: headers["user-agent"] ?? unknownSource.userAgent };
  };
}

/**
 * The address that the proxy itself saw; those before it are what the client said. Null without one: the
 * proxy's own address would make one of all clients.
 */
function lastHop(forwarded: string | string[] | undefined): string | null {
  const hops = Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? "");
  return plainAddress(hops.split(",").at(-1)?.trim());
}

/** An IPv4 address that came over an IPv6 socket is still that address. */
function plainAddress(text: string | undefined): string | null {
  const address = (text ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(address) === 0 ? null : address;
}
