/** Nothing was acknowledged: less than every request id. */
export const none = -1;

/**
 * A pong counts only this many ms later. A browser answers pings even when its page is too busy to handle messages,
 * and the page may drop unhandled messages when it reconnects.
 */
export const settleMs = 60_000;

type Pong = { readonly covered: number; readonly at: number };

/**
 * Derives from pongs what the client has received. Frames arrive in order, so a pong confirms every frame before
 * its ping. A client that has received a mutation's transition will not resend the mutation, so the record of its
 * outcome may be deleted.
 */
export class Acknowledgments {
  #covered = none;
  #through = none;
  #lastPing = 0;
  readonly #pings = new Map<number, number>();
  #pongs: readonly Pong[] = [];

  /** A transition that covers mutation `requestId` was handed to the socket. */
  covered(requestId: number): void {
    this.#covered = Math.max(this.#covered, requestId);
  }

  /** Returns the payload of the next ping. */
  ping(): string {
    this.#lastPing++;
    this.#pings.set(this.#lastPing, this.#covered);
    return String(this.#lastPing);
  }

  pong(payload: string, now: number): void {
    const ping = Number(payload);
    const covered = this.#pings.get(ping);
    if (covered === undefined) return;
    this.#pongs = [...this.#pongs, { covered, at: now }];
    for (const earlier of this.#pings.keys()) if (earlier <= ping) this.#pings.delete(earlier);
  }

  get unansweredPings(): number {
    return this.#pings.size;
  }

  /** The newest mutation that is certain not to be sent again. */
  through(now: number): number {
    const settled = this.#pongs.filter(({ at }) => at + settleMs <= now);
    this.#through = Math.max(this.#through, ...settled.map(({ covered }) => covered));
    this.#pongs = this.#pongs.filter(({ at }) => at + settleMs > now);
    return this.#through;
  }
}
