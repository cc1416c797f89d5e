import { randomInt } from "node:crypto";
import makeMdns from "multicast-dns";
import { afterEach, expect, it } from "vitest";
import { nearbyService } from "../../app/nearby-servers.ts";
import { findServers } from "../../main/first-run/find-servers.ts";
import { announceServer, type ServerAnnouncement } from "./announce.ts";

const where = () => ({ addresses: ["127.0.0.1"], multicastPort: randomInt(20_000, 60_000) });
const server = {
  organization: "Example Org",
  url: "https://127.0.0.1:3210",
  pin: `sha256:${"ab".repeat(32)}`,
};

const running: ServerAnnouncement[] = [];

afterEach(async () => {
  for (const announcement of running.splice(0)) await announcement.stop();
});

it("is found by a computer that asks the network, and no longer after its end", async () => {
  const network = where();
  const other = { ...server, organization: "Another Org", url: "https://127.0.0.1:4210" };
  const announcement = announceServer(server, network);
  running.push(announceServer(other, network));
  expect(await findServers(network)).toEqual([other, server]);
  await announcement.stop();
  expect(await findServers(network)).toEqual([other]);
});

it("is found beside announcements that mean nothing", async () => {
  const network = where();
  const stranger = makeMdns({ port: network.multicastPort, interface: "127.0.0.1", bind: "0.0.0.0" });
  const name = `stranger.${nearbyService}`;
  stranger.on("query", () => {
    stranger.respond([
      { name, type: "TXT", ttl: 120, data: ["v=1", "name=Evil", "url=https://evil/path"] },
      { name, type: "TXT", ttl: 120, data: "v=1" },
      { name: nearbyService, type: "PTR", ttl: 120, data: name },
    ]);
  });
  running.push(announceServer(server, network));
  expect(await findServers(network)).toEqual([server]);
  await new Promise<void>((resolve) => stranger.destroy(resolve));
});

it("shows at most 20 servers of a network that announces many", async () => {
  const network = where();
  const stranger = makeMdns({ port: network.multicastPort, interface: "127.0.0.1", bind: "0.0.0.0" });
  stranger.on("query", () => {
    stranger.respond(
      Array.from({ length: 30 }, (_, at) => ({
        name: `${String(at)}.${nearbyService}`,
        type: "TXT" as const,
        ttl: 120,
        data: ["v=1", "name=Many", `url=https://many-${String(at)}`, `pin=${server.pin}`],
      })),
    );
  });
  expect(await findServers(network)).toHaveLength(20);
  await new Promise<void>((resolve) => stranger.destroy(resolve));
});
