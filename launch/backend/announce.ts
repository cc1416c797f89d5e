import { createHash } from "node:crypto";
import makeMdns from "multicast-dns";
import { nearbyFields, type NearbyServer, nearbyService } from "../../app/nearby-servers.ts";
import { nearbyAddresses } from "../../main/connection/private-address.ts";

/** The time to live of records, in seconds. */
const ttl = 120;

type Where = {
  /** This machine's addresses in the networks that hear it. */
  readonly addresses: readonly string[];
  /** The port of mDNS. Tests use another. */
  readonly multicastPort?: number;
};

export type ServerAnnouncement = {
  /** Says goodbye and closes the sockets. */
  readonly stop: () => Promise<void>;
};

/**
 * Tells this machine's networks a server's address and its organization's name, by multicast DNS, when a computer asks. A network
 * that allows no multicast hears nothing, and nothing fails.
 */
export function announceServer(
  server: NearbyServer,
  { addresses, multicastPort }: Where = { addresses: nearbyAddresses() },
): ServerAnnouncement {
  const records = (seconds: number) => recordsOf(server, seconds);
  const sockets = addresses.map((address) => {
    const socket = makeMdns({
      interface: address,
      // On some systems multicast does not reach a socket that is bound to one address.
      ...(process.platform === "win32" ? {} : { bind: "0.0.0.0" }),
      ...(multicastPort === undefined ? {} : { port: multicastPort }),
    });
    socket.on("query", ({ questions = [] }) => {
      if (questions.some(({ name, type }) => name === nearbyService && ["PTR", "ANY"].includes(type))) {
        socket.respond(records(ttl));
      }
    });
    socket.on("error", () => undefined);
    socket.on("warning", () => undefined);
    socket.on("ready", () => socket.respond(records(ttl)));
    return socket;
  });
  return {
    stop: async () => {
      await Promise.all(
        sockets.map(async (socket) => {
          await new Promise<void>((resolve) => {
            socket.respond(records(0), () => resolve());
            setTimeout(resolve, 200).unref();
          });
          await new Promise<void>((resolve) => socket.destroy(resolve));
        }),
      );
    },
  };
}

function recordsOf(server: NearbyServer, seconds: number): makeMdns.ResponseOutgoingPacket["answers"] {
  const { hostname, port, protocol } = new URL(server.url);
  const id = createHash("sha256").update(server.url).digest("hex").slice(0, 16);
  const name = `${id}.${nearbyService}`;
  const ownPort = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  return [
    { name: nearbyService, type: "PTR", ttl: seconds, data: name },
    { name, type: "SRV", ttl: seconds, data: { port: ownPort, target: hostname } },
    { name, type: "TXT", ttl: seconds, data: [...nearbyFields(server)] },
  ];
}
