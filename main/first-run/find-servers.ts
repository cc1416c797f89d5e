import makeMdns from "multicast-dns";
import {
  mostNearbyServers,
  type NearbyServer,
  nearbyService,
  readNearbyServer,
} from "../../app/nearby-servers.ts";
import { nearbyAddresses } from "../connection/private-address.ts";

/** Servers answer within 0.1 s. A question or an answer can get lost, so this asks twice. */
const askAgainAfterMs = 500;
const listenForMs = 1_200;

type Where = {
  /** This machine's addresses in the networks to ask. */
  readonly addresses: readonly string[];
  /** The port of mDNS. Tests use another. */
  readonly multicastPort?: number;
};

/**
 * Asks the networks of this computer for Gleaner's servers, by multicast DNS, and listens for a second. Nothing that they say is
 * proven. Never rejects: a network that allows no multicast has no servers.
 */
export async function findServers(
  { addresses, multicastPort }: Where = { addresses: nearbyAddresses() },
): Promise<readonly NearbyServer[]> {
  const found = new Map<string, NearbyServer>();
  const sockets = addresses.map((address) =>
    makeMdns({
      interface: address,
      // On some systems multicast does not reach a socket that is bound to one address.
      ...(process.platform === "win32" ? {} : { bind: "0.0.0.0" }),
      ...(multicastPort === undefined ? {} : { port: multicastPort }),
    }),
  );
  const ask = (socket: makeMdns.MulticastDNS): void => socket.query([{ name: nearbyService, type: "PTR" }]);
  for (const socket of sockets) {
    socket.on("response", (response) => {
      for (const server of serversIn(response)) {
        if (found.size < mostNearbyServers) found.set(`${server.url} ${server.pin}`, server);
      }
    });
    socket.on("error", () => undefined);
    socket.on("warning", () => undefined);
    socket.on("ready", () => ask(socket));
  }
  const again = setTimeout(() => sockets.forEach(ask), askAgainAfterMs);
  await new Promise((resolve) => setTimeout(resolve, listenForMs));
  clearTimeout(again);
  await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.destroy(resolve))));
  return [...found.values()].sort(
    (a, b) => a.organization.localeCompare(b.organization) || a.url.localeCompare(b.url),
  );
}

function serversIn({
  answers = [],
  additionals = [],
}: Partial<makeMdns.ResponsePacket>): readonly NearbyServer[] {
  return [...answers, ...additionals].flatMap((record) => {
    if (record.type !== "TXT" || !record.name.endsWith(`.${nearbyService}`)) return [];
    // A record with a time to live of 0 is a goodbye.
    if (record.ttl === 0 || !Array.isArray(record.data)) return [];
    const server = readNearbyServer(record.data.map(String));
    return server === null ? [] : [server];
  });
}
