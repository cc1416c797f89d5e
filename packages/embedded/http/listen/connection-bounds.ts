import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AddressCount, networkOf } from "../../admission/address-count.ts";
import { maxPipelined } from "../../admission/anonymous-limits.ts";
import type { Refusals } from "../../admission/refusals.ts";
import type { Turns } from "../../admission/turns.ts";
import { isLoopback } from "../../wire/host-check.ts";
import { plainAddress } from "../../wire/request-source.ts";
import { refusal, type Reply, sendReply } from "../reply.ts";
import { RequestGate } from "./request-gate.ts";

export type ConnectionBounds = {
  /** Connections of one address. */
  readonly perAddress: number;
  /** Whether clients come through a proxy on this machine, so that they share its address. */
  readonly isBehindProxy: boolean;
  readonly refusals: Refusals;
  readonly turns: Turns;
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
const closing = { Connection: "close" };
const needsHost: Reply = {
  ...refusal(400, "MissingHost", "Send one header Host with the name of this deployment."),
  headers: closing,
};
const unknownExpectation: Reply = {
  ...refusal(417, "UnknownExpectation", "Only 100-continue is understood in the header Expect."),
  headers: closing,
};

type Client = {
  readonly gate: RequestGate;
  /** Whether its address has no room for it. */
  readonly isRefused: boolean;
  /** Requests that were parsed and not answered. */
  unanswered: number;
  /** Those of them whose handling waits for the answers of earlier ones. */
  readonly waiting: (() => void)[];
  newest: IncomingMessage | null;
  /** Bytes that it did not read, and since when. */
  unreadBytes: number;
  unreadSince: number;
};

export type BoundConnections = {
  /** Leaves a connection to another protocol. */
  readonly release: (socket: Duplex) => void;
};

/**
 * Serves a server's requests by `listener`. Bounds the HTTP connections of one address, the requests that are handled at a
 * time for one connection, and what is parsed for it in one turn of the event loop. Further requests of it wait unread.
 * Disconnects clients that do not read their answers.
 */
export function boundConnections(
  server: Server,
  { perAddress, isBehindProxy, refusals, turns }: ConnectionBounds,
  listener: RequestListener,
): BoundConnections {
  const addresses = new AddressCount(perAddress);
  const clients = new Map<Duplex, Client>();

  server.on("connection", (socket: Socket) => {
    const peer = plainAddress(socket.remoteAddress);
    const isProxy = isBehindProxy && peer !== null && isLoopback(peer);
    const leave = addresses.enter(isProxy ? null : networkOf(peer));
    const client: Client = {
      gate: new RequestGate(socket, {
        turns,
        hasRoom: () => client.unanswered < maxPipelined || client.newest?.complete === false,
        isIdle: () => client.unanswered === 0,
      }),
      isRefused: leave === null,
      unanswered: 0,
      waiting: [],
      newest: null,
      unreadBytes: 0,
      unreadSince: 0,
    };
    clients.set(socket, client);
    socket.once("close", () => {
      clients.delete(socket);
      leave?.();
    });
  });
  const checks = setInterval(() => dropUnread(clients, performance.now()), checkEveryMs);
  checks.unref();
  server.once("close", () => clearInterval(checks));

  const handle = (client: Client, request: IncomingMessage, response: ServerResponse): void => {
    const refused = client.isRefused ? tooMany : malformed(request);
    if (client.isRefused) refusals.count("address");
    if (refused === null) listener(request, response);
    else void sendReply(response, refused);
  };
  const receive: RequestListener = (request, response) => {
    const client = clients.get(request.socket);
    // A client that has left by now reads no answer.
    if (client === undefined) return;
    client.newest = request;
    client.gate.began(request);
    client.unanswered += 1;
    response.once("close", () => {
      client.unanswered -= 1;
      const next = client.waiting.shift();
      if (next !== undefined) turns.run(next);
      client.gate.open();
    });
    if (client.unanswered <= maxPipelined) handle(client, request, response);
    else {
      client.waiting.push(() => {
        if (!request.socket.destroyed) handle(client, request, response);
      });
    }
  };
  server.on("request", receive);
  server.on("checkExpectation", receive);
  return { release: (socket) => clients.get(socket)?.gate.detach() };
}

/** Node itself would answer such requests, before anything bounds their number. */
function malformed({ headers, rawHeaders, httpVersion }: IncomingMessage): Reply | null {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length;
  // A proxy may have read another one than we do.
  if (hosts > 1 || (httpVersion === "1.1" && hosts === 0)) return needsHost;
  return headers.expect === undefined || /^100-continue$/i.test(headers.expect) ? null : unknownExpectation;
}

function dropUnread(clients: ReadonlyMap<Duplex, Client>, now: number): void {
  for (const [socket, client] of clients) {
    const bytes = socket.writableLength;
    if (bytes === 0 || bytes !== client.unreadBytes) {
      client.unreadBytes = bytes;
      client.unreadSince = now;
    } else if (now - client.unreadSince > unreadMs) socket.destroy();
  }
}
