import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Turns } from "../../admission/turns.ts";

/** Bytes that are parsed at a time. The shortest request has 18. */
const sliceBytes = 4 * 1024;
/** An idle connection sends an ordinary request in no more bytes. They are parsed without waiting for a turn. */
const smallBytes = 2 * 1024;

type RequestGateOptions = {
  readonly turns: Turns;
  /** Whether the next request may begin. While it may not, nothing is read. */
  readonly hasRoom: () => boolean;
  /** Whether no request of the connection waits for its answer. */
  readonly isIdle: () => boolean;
};

/**
 * Passes what a socket receives on to Node's HTTP parser, little by little. By itself Node parses all that has arrived in
 * one turn of the event loop: thousands of requests, if a client does not wait for answers. The rest stays in the socket,
 * which is paused, so that the client's buffers fill and not ours.
 */
export class RequestGate {
  readonly #socket: Socket;
  readonly #options: RequestGateOptions;
  readonly #parsers: readonly ((chunk: Buffer) => void)[];
  /** Bytes that the body of the newest request still has, at most. They cost little, so they need no slices. */
  #bodyBytes = 0;
  #isItsTurn = false;
  #awaitsTurn = false;
  #awaitsRoom = false;

  /** @param socket a connection that an HTTP server has just accepted */
  constructor(socket: Socket, options: RequestGateOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#parsers = socket.listeners("data") as ((chunk: Buffer) => void)[];
    socket.removeAllListeners("data");
    socket.on("data", this.#receive);
  }

  /** Call it when a request was parsed. */
  began({ headers }: IncomingMessage): void {
    const length = Number(headers["content-length"] ?? 0);
    this.#bodyBytes = Number.isSafeInteger(length) && headers["transfer-encoding"] === undefined ? length : 0;
  }

  /** Call it when there may be room for the next request. */
  open(): void {
    if (!this.#awaitsRoom || !this.#options.hasRoom()) return;
    this.#awaitsRoom = false;
    this.#socket.resume();
  }

  /** Leaves the socket to another protocol. What was not parsed is still in the socket. */
  detach(): void {
    this.#socket.off("data", this.#receive);
  }

  readonly #receive = (chunk: Buffer): void => {
    if (this.#mustWait(chunk)) {
      this.#socket.pause();
      this.#socket.unshift(chunk);
      return;
    }
    this.#isItsTurn = false;
    const bytes = Math.min(chunk.length, Math.max(sliceBytes, this.#bodyBytes));
    if (bytes < chunk.length) {
      // Paused, or the rest would be received at once. The parser may pause the socket after that.
      this.#socket.pause();
      this.#socket.unshift(chunk.subarray(bytes));
      this.#socket.resume();
    }
    this.#bodyBytes = Math.max(0, this.#bodyBytes - bytes);
    for (const parse of this.#parsers) parse.call(this.#socket, chunk.subarray(0, bytes));
  };

  #mustWait(chunk: Buffer): boolean {
    const { turns, hasRoom, isIdle } = this.#options;
    if (!hasRoom()) {
      this.#awaitsRoom = true;
      return true;
    }
    if (this.#isItsTurn || (chunk.length <= smallBytes && isIdle() && !this.#awaitsTurn)) return false;
    if (!this.#awaitsTurn && !turns.isBusy) return false;
    if (!this.#awaitsTurn) {
      this.#awaitsTurn = true;
      turns.run(() => {
        this.#awaitsTurn = false;
        this.#isItsTurn = true;
        this.#socket.resume();
      });
    }
    return true;
  }
}
