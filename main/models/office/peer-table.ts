import type { Peer } from "../download/neighbors.ts";
import type { Announcement } from "./announcement.ts";
import type { PeerAddress } from "./office-client.ts";
import { fileTag, type OfficeKey } from "./secrets.ts";

/** A silent device is gone this long after its announcement's time to live, in ms. */
const graceMs = 20_000;
/** More devices than any office has. Others may be fake. */
const maxPeers = 2_000;

type Entry = { readonly announcement: Announcement; readonly key: OfficeKey; readonly until: number };

/** The known devices in the office. */
export class PeerTable {
  readonly #entries = new Map<string, Entry>();

  heard(announcement: Announcement, key: OfficeKey, now: number): void {
    if (!this.#entries.has(announcement.id) && this.#entries.size >= maxPeers) return;
    this.#entries.set(announcement.id, {
      announcement,
      key,
      until: now + announcement.ttl * 1_000 + graceMs,
    });
  }

  left(id: string): void {
    this.#entries.delete(id);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Devices that share or fetch the file. */
  having(sha256: string, now: number): readonly Peer[] {
    const peers: Peer[] = [];
    const tags = new Map<string, string>();
    for (const [id, { announcement, key, until }] of this.#entries) {
      if (now > until) {
        this.#entries.delete(id);
        continue;
      }
      const tag = tags.get(key.secret) ?? fileTag(key.secret, sha256);
      tags.set(key.secret, tag);
      const file = announcement.files.find((one) => one.tag === tag);
      if (file !== undefined) peers.push({ id, complete: file.complete });
    }
    return peers;
  }

  addressOf(id: string): PeerAddress | null {
    const entry = this.#entries.get(id);
    if (entry === undefined) return null;
    return { address: entry.announcement.address, port: entry.announcement.port, key: entry.key };
  }
}
