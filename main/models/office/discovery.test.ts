import { randomInt } from "node:crypto";
import makeMdns from "multicast-dns";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Announcement, txtOf } from "./announcement.ts";
import { Discovery } from "./discovery.ts";
import { type OfficeKey, officeKeys } from "./secrets.ts";

const address = "127.0.0.1";
const patient = { timeout: 60_000, interval: 20 };
const [key] = officeKeys({ secret: "s", previous: null }) as [OfficeKey];
const sender = { id: "sender-12345", address, port: 4_711 };

let multicastPort: number;
let network: makeMdns.MulticastDNS;
let discovery: Discovery;
let peers: Announcement[];
let left: string[];
let wrongClocks: number;

beforeEach(async () => {
  multicastPort = randomInt(20_000, 60_000);
  [peers, left, wrongClocks] = [[], [], 0];
  network = makeMdns({ port: multicastPort, interface: address, bind: "0.0.0.0" });
  await new Promise<void>((resolve) => network.once("ready", resolve));
  discovery = new Discovery({
    id: "receiver-123",
    address,
    port: 1,
    multicastPort,
    keys: () => [key],
    files: () => [],
    onPeer: (peer) => peers.push(peer),
    onLeft: (id) => left.push(id),
    onError: () => undefined,
    onWrongClock: () => (wrongClocks += 1),
  });
  // Its first announcement shows that it listens.
  await new Promise<void>((resolve) => network.once("response", () => resolve()));
});

afterEach(async () => {
  await discovery.stop();
  await new Promise<void>((resolve) => network.destroy(resolve));
});

/** Sends an announcement as a device of the office does. `recordTtl`: the time to live that is not signed. */
function announce(
  { sentAt = Date.now(), ttl = 180, recordTtl = 180, id = sender.id } = {},
  change = (txt: string[]): string[] => txt,
): () => void {
  const name = `${id}._gleaner._tcp.local`;
  const data = change(txtOf(key, { ...sender, id, sentAt, ttl }, []));
  const send = (): void =>
    network.respond([
      { name, type: "SRV", ttl: recordTtl, data: { port: sender.port, target: `${id}.local` } },
      { name, type: "TXT", ttl: recordTtl, data },
    ]);
  send();
  return send;
}

/** A device that announces itself last. When it is seen, everything before it was received. */
async function flush(): Promise<void> {
  const id = `marker-${randomInt(2 ** 40)}`;
  announce({ id });
  await vi.waitFor(() => expect(peers.map((peer) => peer.id)).toContain(id), patient);
}

const seen = (): readonly Announcement[] => peers.filter(({ id }) => id === sender.id);

it("takes a recorded packet only once", async () => {
  const sendAgain = announce();
  await flush();
  expect(seen()).toHaveLength(1);
  sendAgain();
  await flush();
  expect(seen()).toHaveLength(1);
});

it("drops an announcement that is too old or too far ahead, and says that a clock is wrong", async () => {
  announce({ sentAt: Date.now() - 600_000 });
  announce({ sentAt: Date.now() + 600_000 });
  await flush();
  expect(seen()).toEqual([]);
  expect(wrongClocks).toBe(2);
});

it("takes a goodbye only if the sender signed it", async () => {
  const sentAt = Date.now();
  announce({ sentAt, recordTtl: 0 });
  await flush();
  expect(left).toEqual([]);
  expect(seen()).toHaveLength(1);
  announce({ sentAt: sentAt + 1, ttl: 0 });
  await flush();
  expect(left).toEqual([sender.id]);
});

it("drops an announcement whose time or lifetime was changed", async () => {
  const sentAt = Date.now();
  announce({ sentAt }, (txt) => txt.map((field) => field.replace(/^t=.*/, `t=${sentAt + 1}`)));
  announce({ sentAt }, (txt) => txt.map((field) => field.replace(/^l=.*/, "l=3600")));
  announce({ sentAt }, (txt) => txt.filter((field) => !field.startsWith("t=")));
  await flush();
  expect(seen()).toEqual([]);
  expect(wrongClocks).toBe(0);
});
