import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import { AddressCount, networkOf } from "../../admission/address-count.ts";
import { maxPipelined } from "../../admission/anonymous-limits.ts";
import type { Refusals } from "../../admission/refusals.ts";
import { isLoopback } from "../../wire/host-check.ts";
import { plainAddress } from "../../wire/request-source.ts";
import { refusal, type Reply, sendReply } from "../reply.ts";

export type ConnectionBounds = {
  /** Connections of one address. */
  readonly perAddress: number;
  /** Whether clients come through a proxy on this machine, so that they share its address. */
  readonly isBehindProxy: boolean;
  readonly refusals: Refusals;
};

/** A client that accepts nothing of its answer for this long is disconnected, in ms. */
const unreadMs = 120_000;
const checkEveryMs = 15_000;

const tooMany: Reply = {
  ...refusal(
    429,
    "TooManyConnections",
    "Too many connections from this address. Close some, or raise the limit of the deployment.",
  ),
  headers: { "Retry-After": "3", Connection: "close" },
};

/**
 * Bounds the HTTP connections of one address, and the requests that wait on one connection. Disconnects clients that do
 * not read their answers. Returns the listener to serve instead.
 */
export function boundConnections(
  server: Server,
  { perAddress, isBehindProxy, refusals }: ConnectionBounds,
  listener: RequestListener,
): RequestListener {
  const addresses = new AddressCount(perAddress);
  const refused = new WeakSet<Socket>();
  const pending = new WeakMap<Socket, number>();
  const unread = new Map<Socket, Unread>();

  server.on("connection", (socket: Socket) => {
    unread.set(socket, { bytes: 0, since: 0 });
    socket.once("close", () => unread.delete(socket));
    const peer = plainAddress(socket.remoteAddress);
    const leave = addresses.enter(
      isBehindProxy && peer !== null && isLoopback(peer) ? null : networkOf(peer),
    );
    if (leave === null) refused.add(socket);
    else socket.once("close", leave);
  });
  const checks = setInterval(() => dropUnread(unread, performance.now()), checkEveryMs);
  checks.unref();
  server.once("close", () => clearInterval(checks));

  return (request, response) => {
    const { socket } = request;
    const waiting = (pending.get(socket) ?? 0) + 1;
    if (waiting > maxPipelined) {
      // Node parses the rest of what has arrived regardless, so these requests come, too.
      if (socket.destroyed) return;
      refusals.count("pipelined");
      socket.destroy();
    } else if (refused.has(socket)) {
      refusals.count("address");
      void sendReply(response, tooMany);
    } else {
      pending.set(socket, waiting);
      response.once("close", () => pending.set(socket, (pending.get(socket) ?? 1) - 1));
      listener(request, response);
    }
  };
}

type Unread = { bytes: number; since: number };

function dropUnread(unread: Map<Socket, Unread>, now: number): void {
  for (const [socket, seen] of unread) {
    const bytes = socket.writableLength;
    if (bytes === 0 || bytes !== seen.bytes) {
      seen.bytes = bytes;
      seen.since = now;
    } else if (now - seen.since > unreadMs) socket.destroy();
  }
}
