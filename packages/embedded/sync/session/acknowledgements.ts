/** No request was acknowledged: below every request id. */
export const none = -1;

/**
 * A browser answers pings although its page is too busy to handle messages, and a page may drop what it
 * has not handled when it reconnects. So a pong counts only this many ms later.
 */
export const settleMs = 60_000;

type Pong = { readonly covered: number; readonly at: number };

/**
 * What the client has seen, from its WebSocket's pongs. Frames arrive in order, so whoever answers a ping
 * has received every frame before it: once a transition has covered a mutation and a later ping was
 * answered, the client will not send that mutation again, and the record of its outcome may go.
 */
export class Acknowledgements {
  #covered = none;
  #through = none;
  #lastPing = 0;
  readonly #pings = new Map<number, number>();
  #pongs: readonly Pong[] = [];

  /** A transition that covers the mutation `requestId` was handed to the socket. */
  covered(requestId: number): void {
    this.#covered = Math.max(this.#covered, requestId);
  }

  /** The payload for a ping that is about to be sent. */
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

  /** The newest mutation that will surely not be sent again. */
  through(now: number): number {
    const settled = this.#pongs.filter(({ at }) => at + settleMs <= now);
    this.#through = Math.max(this.#through, ...settled.map(({ covered }) => covered));
    this.#pongs = this.#pongs.filter(({ at }) => at + settleMs > now);
    return this.#through;
  }
}
