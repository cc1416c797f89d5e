import type { Socket } from "node:net";
import { networkOf } from "../../admission/address-count.ts";
import { plainAddress } from "../../wire/request-source.ts";

/** Connections before or in their TLS handshake. One network cannot push out those of the others. */
export class PendingSockets {
  readonly #most: number;
  #size = 0;
  /** By network, and there by peer. The oldest is first in each. */
  readonly #networks = new Map<string, Map<string, Socket>>();

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Adds a connection until it is deleted or closed. If there are too many then, the network with the most of them
   * loses its oldest.
   */
  add(socket: Socket): void {
    const network = networkIn(socket);
    const peer = peerOf(socket);
    const sockets = this.#networks.get(network) ?? new Map<string, Socket>();
    this.#networks.set(network, sockets);
    if (!sockets.has(peer)) this.#size += 1;
    sockets.set(peer, socket);
    socket.once("close", () => {
      if (this.#networks.get(network)?.get(peer) === socket) this.#remove(network, peer);
    });
    if (this.#size > this.#most) this.#evict();
  }

  /** @param socket the connection itself, or the TLS socket over it */
  delete(socket: Socket): void {
    this.#remove(networkIn(socket), peerOf(socket));
  }

  destroyAll(): void {
    for (const sockets of this.#networks.values()) for (const socket of sockets.values()) socket.destroy();
  }

  #evict(): void {
    let largest: { readonly network: string; readonly sockets: Map<string, Socket> } | null = null;
    for (const [network, sockets] of this.#networks) {
      if (largest === null || sockets.size > largest.sockets.size) largest = { network, sockets };
    }
    const [oldest] = largest?.sockets ?? [];
    if (largest === null || oldest === undefined) return;
    const [peer, socket] = oldest;
    this.#remove(largest.network, peer);
    socket.destroy();
  }

  #remove(network: string, peer: string): void {
    const sockets = this.#networks.get(network);
    if (sockets?.delete(peer) !== true) return;
    this.#size -= 1;
    if (sockets.size === 0) this.#networks.delete(network);
  }
}

function networkIn({ remoteAddress }: Socket): string {
  return networkOf(plainAddress(remoteAddress)) ?? "";
}

/** A TLS socket has the same peer as the socket below it. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ""} ${String(remotePort)}`;
}
