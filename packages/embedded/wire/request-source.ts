import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { isLoopback } from "./host-check.ts";

/** Source of a request, as far as known: the client's IP address and user agent. */
export type RequestSource = { readonly ip: string | null; readonly userAgent: string | null };

/** Source of runs without a request, such as scheduled functions and crons. */
export const unknownSource: RequestSource = { ip: null, userAgent: null };

export type SourceOf = (request: Pick<IncomingMessage, "headers" | "socket">) => RequestSource;

/**
 * Finds a request's source.
 * @param isBehindProxy whether clients reach this listener through a proxy on this machine.
 */
export function sourceOf(isBehindProxy: boolean): SourceOf {
  return ({ headers, socket }) => {
    const peer = plainAddress(socket.remoteAddress);
    const forwarded = headers["x-forwarded-for"];
    // Anybody can send the header; trust it only from the proxy's connection.
    const ip = isBehindProxy && peer !== null && isLoopback(peer) ? lastHop(forwarded) : peer;
    return { ip, userAgent: headers["user-agent"] ?? unknownSource.userAgent };
  };
}

/**
 * The address that the proxy itself saw; earlier ones are the client's claims. Null without one, because the
 * proxy's own address would make all clients look alike.
 */
function lastHop(forwarded: string | string[] | undefined): string | null {
  const hops = Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? "");
  return plainAddress(hops.split(",").at(-1)?.trim());
}

/** Unwraps an IPv4 address from its IPv6 form. */
export function plainAddress(text: string | undefined): string | null {
  const address = (text ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(address) === 0 ? null : address;
}
