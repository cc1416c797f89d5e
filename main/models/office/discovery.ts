import makeMdns from "multicast-dns";
import type { AnnouncedFile, Announcement } from "./announcement.ts";
import { readTxt, txtOf } from "./announcement.ts";
import { ReplayGuard } from "./replay-guard.ts";
import type { OfficeKey } from "./secrets.ts";

const service = "_gleaner._tcp.local";
/** The time to live of records, in seconds. */
const ttl = 180;
/** The interval of announcements, in ms. A device asks only once, since every device would answer every question. */
const announceEveryMs = 60_000;
/** Changes are announced at once, but not more often than this. */
const atMostEveryMs = 1_000;

type DiscoveryDeps = {
  readonly id: string;
  /** This machine's address on the network. */
  readonly address: string;
  readonly port: number;
  /** Newest first. The newest announces; all are understood. */
  readonly keys: () => readonly OfficeKey[];
  readonly files: () => readonly AnnouncedFile[];
  readonly onPeer: (announcement: Announcement, key: OfficeKey) => void;
  readonly onLeft: (id: string) => void;
  readonly onError: (code: string) => void;
  /** An announcement's time is too far from this computer's clock. One of the two clocks is wrong. */
  readonly onWrongClock: () => void;
  /** The port of mDNS. Tests use another. */
  readonly multicastPort?: number;
};

/** Announces this device on one network and discovers others: DNS-SD over multicast DNS. */
export class Discovery {
  readonly #deps: DiscoveryDeps;
  readonly #mdns: makeMdns.MulticastDNS;
  #timer: NodeJS.Timeout | undefined;
  readonly #replays = new ReplayGuard();
  #announcedAt = -Infinity;
  #sentAt = 0;
  #key: OfficeKey | undefined;
  #stopped = false;

  constructor(deps: DiscoveryDeps) {
    this.#deps = deps;
    this.#mdns = makeMdns({
      interface: deps.address,
      // On some systems multicast does not reach a socket that is bound to one address.
      ...(process.platform === "win32" ? {} : { bind: "0.0.0.0" }),
      ...(deps.multicastPort === undefined ? {} : { port: deps.multicastPort }),
    });
    this.#mdns.on("response", (response, { address }) => this.#receive(response, address));
    this.#mdns.on("query", ({ questions = [] }) => {
      if (questions.some(({ name, type }) => name === service && ["PTR", "ANY"].includes(type))) {
        this.#announceIn(20 + Math.random() * 100);
      }
    });
    this.#mdns.on("error", (error) => deps.onError((error as NodeJS.ErrnoException).code ?? "unknown"));
    this.#mdns.on("warning", () => undefined);
    this.#mdns.on("ready", () => {
      this.#mdns.query([{ name: service, type: "PTR" }]);
      this.#announce();
    });
  }

  /** Announces a change of its files. */
  changed(): void {
    this.#announceIn(0);
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    clearTimeout(this.#timer);
    await new Promise<void>((resolve) => {
      this.#mdns.respond(this.#answers(0), () => resolve());
      setTimeout(resolve, 200).unref();
    });
    await new Promise<void>((resolve) => this.#mdns.destroy(resolve));
  }

  #announceIn(ms: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    const wait = Math.max(ms, this.#announcedAt + atMostEveryMs - performance.now());
    this.#timer = setTimeout(() => this.#announce(), wait).unref();
  }

  #announce(): void {
    if (this.#stopped) return;
    this.#announcedAt = performance.now();
    this.#mdns.respond(this.#answers(ttl));
    this.#announceIn(announceEveryMs * (0.75 + Math.random() / 2));
  }

  #answers(seconds: number): Parameters<makeMdns.MulticastDNS["respond"]>[0] {
    const { id, address, port, keys, files } = this.#deps;
    // The goodbye needs the previous key if the keys are gone.
    const [key = this.#key] = keys();
    if (key === undefined) return [];
    this.#key = key;
    const name = `${id}.${service}`;
    const target = `${id}.local`;
    // Two announcements in one millisecond would look like a replay.
    this.#sentAt = Math.max(Date.now(), this.#sentAt + 1);
    const header = { id, address, port, sentAt: this.#sentAt, ttl: seconds };
    return [
      { name: service, type: "PTR", ttl: seconds, data: name },
      { name, type: "SRV", ttl: seconds, data: { port, target } },
      { name, type: "TXT", ttl: seconds, data: txtOf(key, header, files()) },
      { name: target, type: "A", ttl: seconds, data: address },
    ];
  }

  #receive({ answers = [], additionals = [] }: Partial<makeMdns.ResponsePacket>, address: string): void {
    const { id: self, keys, onPeer, onLeft, onWrongClock } = this.#deps;
    const records = [...answers, ...additionals];
    for (const srv of records) {
      if (srv.type !== "SRV" || !srv.name.endsWith(`.${service}`)) continue;
      const id = srv.name.slice(0, -service.length - 1);
      if (!/^[\w-]{8,32}$/.test(id) || id === self) continue;
      const txt = records.find((record) => record.type === "TXT" && record.name === srv.name);
      const fields = txt?.type === "TXT" && Array.isArray(txt.data) ? txt.data.map(String) : [];
      const read = readTxt(fields, { id, address, port: srv.data.port }, keys());
      if (read === null) continue;
      const { announcement, key } = read;
      const verdict = this.#replays.check(announcement, Date.now());
      if (verdict === "wrong-clock") onWrongClock();
      if (verdict !== "new") continue;
      // The records' own ttl is not signed.
      if (announcement.ttl === 0) onLeft(id);
      else onPeer(announcement, key);
    }
  }
}
