import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { ServerMessage } from "./protocol/server-messages.ts";
import { transitionFrames } from "./protocol/transition-chunks.ts";

/** A client with more unread bytes than this is considered gone. */
const maxBufferedBytes = 32 * 1024 * 1024;
const open = 1;
const closed = 3;

type OutboxOptions = {
  /** Called when `unreadBytes` has changed. */
  readonly onChanged: () => void;
  /** Called in place of sending, if the client does not read. */
  readonly onUnread: () => void;
};

/** Messages to a client. */
export class Outbox {
  readonly #ws: WebSocket;
  readonly #options: OutboxOptions;
  #socket: Duplex | null = null;
  #sentFrames = 0;

  constructor(ws: WebSocket, options: OutboxOptions) {
    this.#ws = ws;
    this.#options = options;
  }

  /** The network connection under the WebSocket. With it, messages that are sent together take one write. */
  attach(socket: Duplex): void {
    this.#socket = socket;
  }

  /** Frames that were handed to the network. */
  get sentFrames(): number {
    return this.#sentFrames;
  }

  /** Bytes that wait for the network. A closed socket still counts what it never wrote. */
  get unreadBytes(): number {
    return this.#ws.readyState === closed ? 0 : this.#ws.bufferedAmount;
  }

  /** Resolves when the messages were handed to the network. */
  async send(...messages: readonly ServerMessage[]): Promise<void> {
    if (this.#ws.readyState !== open) return;
    if (this.#ws.bufferedAmount > maxBufferedBytes) {
      this.#options.onUnread();
      return;
    }
    const frames = messages.flatMap((message) =>
      message.type === "Transition" ? transitionFrames(message) : [JSON.stringify(message)],
    );
    this.#socket?.cork();
    const sent = frames.map((frame) => this.#sendFrame(frame));
    this.#socket?.uncork();
    await Promise.all(sent);
  }

  /** Also resolves when the socket closes meanwhile. */
  #sendFrame(frame: string): Promise<void> {
    // An earlier frame may have used up the memory.
    if (this.#ws.readyState !== open) return Promise.resolve();
    return new Promise((resolve) => {
      this.#ws.send(frame, () => {
        this.#sentFrames += 1;
        this.#options.onChanged();
        resolve();
      });
      this.#options.onChanged();
    });
  }
}
