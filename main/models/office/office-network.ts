import { randomBytes } from "node:crypto";
import type { OfferedModel } from "../../../app/models/catalog-entry.ts";
import { isPrivate, privateAddresses } from "../../connection/private-address.ts";
import type { Log } from "../../log.ts";
import type { Neighbors } from "../download/neighbors.ts";
import type { AnnouncedFile } from "./announcement.ts";
import { Discovery } from "./discovery.ts";
import { OfficeClient, type WantedFile } from "./office-client.ts";
import { OfficeServer } from "./office-server.ts";
import { PeerTable } from "./peer-table.ts";
import { type OfficeKey, officeKeys, type SharingSecrets } from "./secrets.ts";
import type { SharedFiles } from "./shared-files.ts";

export type OfficeNetworkDeps = {
  readonly shared: SharedFiles;
  /** The files that this device shares or fetches now. */
  readonly files: () => readonly AnnouncedFile[];
  readonly log: Log;
  /** For tests: the address to listen on and to trust. */
  readonly test?: { readonly address: string; readonly multicastPort: number };
};

type Place = { readonly server: OfficeServer; readonly discovery: Discovery };

/** The port that an office's firewall must allow. If it is in use, another is taken. */
const officePort = 47_821;
/** The interval between checks of this machine's addresses, in ms. A laptop changes networks. */
const lookAtAddressesMs = 30_000;

/** Shares models with the organization's devices on the same network, while sharing is on. */
export class OfficeNetwork {
  readonly #deps: OfficeNetworkDeps;
  readonly #id = randomBytes(9).toString("base64url");
  readonly #peers = new PeerTable();
  readonly #client = new OfficeClient();
  readonly #places = new Map<string, Place>();
  #keys: readonly OfficeKey[] = [];
  #timer: NodeJS.Timeout | undefined;
  #changing: Promise<void> = Promise.resolve();
  #announced = "";
  #toldClock = false;

  constructor(deps: OfficeNetworkDeps) {
    this.#deps = deps;
  }

  /** @param secrets null turns sharing off: nothing listens and nothing is announced. */
  share(secrets: SharingSecrets | null): void {
    const keys = secrets === null ? [] : officeKeys(secrets);
    if (keys.map(({ tag }) => tag).join() === this.#keys.map(({ tag }) => tag).join()) return;
    this.#keys = keys;
    this.#peers.clear();
    clearInterval(this.#timer);
    if (keys.length > 0) {
      this.#timer = setInterval(() => this.#settle(), lookAtAddressesMs).unref();
    }
    this.#settle();
    this.#tell();
  }

  /** Called when the shared files changed. */
  filesChanged(): void {
    const files = JSON.stringify(this.#deps.files());
    if (files === this.#announced) return;
    this.#announced = files;
    this.#tell();
  }

  /** Null while sharing is off. */
  neighbors(model: OfferedModel, pieceBytes: number): Neighbors | null {
    if (this.#keys.length === 0) return null;
    const { sha256, sizeBytes } = model;
    const file: WantedFile = { sha256, sizeBytes, pieceBytes };
    return {
      selfId: this.#id,
      peers: () => this.#peers.having(sha256, performance.now()),
      have: async (id, signal) => {
        const peer = this.#peers.addressOf(id);
        return peer === null ? null : await this.#client.have(peer, file, signal);
      },
      piece: async (id, piece, signal) => {
        const peer = this.#peers.addressOf(id);
        return peer === null ? null : await this.#client.piece(peer, file, piece, signal);
      },
    };
  }

  async stop(): Promise<void> {
    this.share(null);
    await this.#changing;
    this.#client.close();
  }

  #tell(): void {
    for (const { discovery } of this.#places.values()) discovery.changed();
  }

  /** Listens on the current addresses and no others, one change at a time. */
  #settle(): void {
    this.#changing = this.#changing.then(async () => {
      const { test } = this.#deps;
      const here = test === undefined ? privateAddresses() : [test.address];
      const wanted = new Set(this.#keys.length === 0 ? [] : here);
      for (const [address, place] of this.#places) {
        if (wanted.has(address)) continue;
        this.#places.delete(address);
        place.server.close();
        await place.discovery.stop();
      }
      for (const address of wanted) if (!this.#places.has(address)) await this.#open(address);
    });
  }

  async #open(address: string): Promise<void> {
    const { shared, files, log, test } = this.#deps;
    const server = new OfficeServer(() => this.#keys, shared, log);
    let port: number;
    try {
      port = await server
        .listen(address, test === undefined ? officePort : 0)
        .catch(async () => await server.listen(address, 0));
    } catch (error) {
      log("warn", "office.cannot-listen", { code: (error as NodeJS.ErrnoException).code ?? null });
      return;
    }
    const discovery = new Discovery({
      id: this.#id,
      address,
      port,
      files,
      keys: () => this.#keys,
      onPeer: (announcement, key) => {
        const trusted = test === undefined ? isPrivate(announcement.address) : true;
        if (trusted) this.#peers.heard(announcement, key, performance.now());
      },
      onLeft: (id) => this.#peers.left(id),
      onError: (code) => log("warn", "office.cannot-discover", { code }),
      onWrongClock: () => {
        if (!this.#toldClock)
          log("warn", "office.wrong-clock", { use: "set this computer's clock, or the other's" });
        this.#toldClock = true;
      },
      ...(test === undefined ? {} : { multicastPort: test.multicastPort }),
    });
    this.#places.set(address, { server, discovery });
    log("info", "office.sharing", { port });
  }
}
