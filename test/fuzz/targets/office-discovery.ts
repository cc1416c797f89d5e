import { createSocket } from "node:dgram";
import { encode, type Packet } from "dns-packet";
import fc from "fast-check";
import { Discovery } from "../../../main/models/office/discovery.ts";
import { officeKeys } from "../../../main/models/office/secrets.ts";
import { hostileText, spoiled } from "../hostile.ts";
import type { Json, Target } from "../target.ts";
import { within } from "../within.ts";

const [key] = officeKeys({ secret: "the attacker does not know it", previous: null });
const id = "attacker-1";
const name = `${id}._gleaner._tcp.local`;

/** An announcement with the organization's public tag and without a valid signature. */
const announcement: fc.Arbitrary<Json> = fc
  .tuple(fc.array(hostileText, { maxLength: 8 }), fc.integer({ min: 0, max: 65_535 }))
  .map(([fields, port]): Json => [
    { name: "_gleaner._tcp.local", type: "PTR", ttl: 120, data: name },
    { name, type: "SRV", ttl: 120, data: { port, target: `${id}.local` } },
    { name, type: "TXT", ttl: 120, data: [`o=${key?.tag ?? ""}`, ...fields] },
    { name: `${id}.local`, type: "A", ttl: 120, data: "127.0.0.1" },
  ]);

/** A packet is given as records or as hexadecimal bytes. */
const packet = fc.oneof(
  { weight: 2, arbitrary: announcement },
  { weight: 3, arbitrary: spoiled(announcement) },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("hex")),
  },
);

/** Announcements on the office's network. Nobody without the organization's secret becomes a peer. */
export const officeDiscovery: Target = {
  name: "office-discovery",
  summary: "packets on the office's network",
  open: async () => {
    const admitted: string[] = [];
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const discovery = new Discovery({
      id: "attacked-1",
      address: "127.0.0.1",
      port: 9,
      keys: () => (key === undefined ? [] : [key]),
      files: () => [{ sha256: "a".repeat(64), complete: true }],
      onPeer: (peer) => admitted.push(peer.id),
      onLeft: (left) => admitted.push(left),
      onError: () => undefined,
      onWrongClock: () => admitted.push("a clock"),
      multicastPort: port,
    });
    const sender = createSocket("udp4");
    return {
      inputs: fc.array(packet, { minLength: 1, maxLength: 8 }),
      known: [],
      check: async (input) => {
        for (const each of input as readonly Json[]) {
          const bytes = bytesOf(each);
          if (bytes === null) continue;
          await within("a packet", new Promise((sent) => sender.send(bytes, port, "127.0.0.1", sent)));
        }
        await new Promise((resolve) => setTimeout(resolve, 2));
        if (admitted.length > 0) throw new Error(`a stranger became a peer: ${admitted.join(", ")}`);
      },
      close: async () => {
        sender.close();
        await discovery.stop();
      },
    };
  },
};

/** Null if the records cannot be encoded, or are too large for a packet. */
function bytesOf(packet: Json): Buffer | null {
  if (typeof packet === "string") return Buffer.from(packet, "hex");
  try {
    const bytes = encode({ type: "response", answers: packet as Packet["answers"] & object });
    return bytes.length < 60_000 ? bytes : null;
  } catch {
    return null;
  }
}
