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
  #sentFrames = 0;

  constructor(ws: WebSocket, options: OutboxOptions) {
    this.#ws = ws;
    this.#options = options;
  }

  /** Frames that were handed to the network. */
  get sentFrames(): number {
    return this.#sentFrames;
  }

  /** Bytes that wait for the network. A closed socket still counts what it never wrote. */
  get unreadBytes(): number {
    return this.#ws.readyState === closed ? 0 : this.#ws.bufferedAmount;
  }

  /** Resolves when the message was handed to the network. */
  async send(message: ServerMessage): Promise<void> {
    if (this.#ws.readyState !== open) return;
    if (this.#ws.bufferedAmount > maxBufferedBytes) {
      this.#options.onUnread();
      return;
    }
    const frames = message.type === "Transition" ? transitionFrames(message) : [JSON.stringify(message)];
    await Promise.all(frames.map((frame) => this.#sendFrame(frame)));
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
