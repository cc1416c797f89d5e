import { setTimeout as sleep } from "node:timers/promises";
import type { DownloadTimes } from "./download-times.ts";
import type { Neighbors, PeerHave } from "./neighbors.ts";

/** The number of devices to ask at a time. A large office takes several rounds. */
const askedAtOnce = 12;

/** A download's view of the devices in the office, updated by polling. */
export class OfficeView {
  readonly #neighbors: Neighbors;
  readonly #times: DownloadTimes;
  readonly #pieces: number;
  readonly #onNews: () => void;
  readonly #distrusted = new Set<string>();
  #have: ReadonlyMap<string, PeerHave> = new Map();
  #best = 0;
  #helpedAt = performance.now();

  constructor(neighbors: Neighbors, times: DownloadTimes, pieces: number, onNews: () => void) {
    this.#neighbors = neighbors;
    this.#times = times;
    this.#pieces = pieces;
    this.#onNews = onNews;
  }

  get selfId(): string {
    return this.#neighbors.selfId;
  }

  get have(): ReadonlyMap<string, PeerHave> {
    return this.#have;
  }

  /** Devices that fetch the same file. */
  get companions(): readonly string[] {
    return this.#peers()
      .filter(({ complete }) => !complete)
      .map(({ id }) => id);
  }

  get seeded(): boolean {
    return this.#peers().some(({ complete }) => complete);
  }

  helpAt(now: number): "some" | "hardly" | "none" {
    if (this.#peers().length === 0) return "some";
    const without = now - this.#helpedAt;
    if (without < this.#times.patienceMs) return "some";
    return without < 6 * this.#times.patienceMs ? "hardly" : "none";
  }

  /** Whether it is worth waiting for the office. */
  isHopeful(now: number): boolean {
    return this.#peers().length > 0 && this.helpAt(now) !== "none";
  }

  helped(now: number): void {
    this.#helpedAt = now;
  }

  /** Takes no more of this file from a device that sent wrong bytes. */
  distrust(peerId: string): void {
    this.#distrusted.add(peerId);
    this.#have = new Map([...this.#have].filter(([id]) => id !== peerId));
  }

  async piece(peerId: string, piece: number, signal: AbortSignal): Promise<Buffer | null> {
    const bytes = await this.#neighbors.piece(peerId, piece, signal);
    // The device is busy or gone. Ask it again after its next announcement.
    if (bytes === null) this.#have = new Map([...this.#have].filter(([id]) => id !== peerId));
    return bytes;
  }

  start(signal: AbortSignal): void {
    this.#helpedAt = performance.now();
    void this.#askAgainAndAgain(signal);
  }

  async #askAgainAndAgain(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#ask(signal);
      this.#onNews();
      await sleep(this.#times.pollMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const peers = shuffled(this.#peers()).slice(0, askedAtOnce);
    const answers = await Promise.all(
      peers.map(async ({ id }) => [id, await this.#neighbors.have(id, signal)] as const),
    );
    const have = new Map<string, PeerHave>();
    for (const [id, answer] of answers) {
      if (answer !== null && !this.#distrusted.has(id)) have.set(id, answer);
    }
    this.#have = have;
    const best = Math.max(0, ...[...have.values()].map(({ held }) => Math.min(held, this.#pieces)));
    // A device makes progress, so its pieces will arrive here too.
    if (best > this.#best) this.#helpedAt = performance.now();
    this.#best = best;
  }

  #peers(): ReturnType<Neighbors["peers"]> {
    return this.#neighbors.peers().filter(({ id }) => !this.#distrusted.has(id));
  }
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, by: Math.random() }))
    .toSorted((a, b) => a.by - b.by)
    .map(({ item }) => item);
}
