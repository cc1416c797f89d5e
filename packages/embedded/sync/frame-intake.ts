import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Turns } from "../admission/turns.ts";
import { FrameGate } from "../wire/frame-gate.ts";
import { Inbound } from "./inbound.ts";

/** Larger frames take noticeable time to unmask, check and parse. */
const largeBytes = 16 * 1024;
/** A message may take this long to arrive, in ms, and a second more for each of these bytes. */
const messageWithinMs = 30_000;
const slowestBytesPerSecond = 8 * 1024;

type FrameIntakeOptions = {
  readonly turns: Turns;
  readonly now: () => number;
  /** Largest message in bytes at the moment. */
  readonly maxMessageBytes: () => number;
  /** Bytes of pending messages at which reading pauses, at the moment. */
  readonly maxHeldBytes: () => number;
  /** Called when `bytes` has changed. */
  readonly onChanged: () => void;
};

/**
 * The frames that arrived on a WebSocket and are not handled yet. Each frame and message waits for the client's turn while
 * others have theirs. Meanwhile nothing more is read.
 */
export class FrameIntake {
  readonly #options: FrameIntakeOptions;
  readonly #gate: FrameGate;
  readonly inbound: Inbound;
  #pass: (frame: Buffer) => void = () => undefined;
  /** Bytes of a whole message that waits for its turn, or for room. */
  #waitingBytes = 0;
  #isInTurn = false;
  /** When the present message began to arrive; null between messages. */
  #partialSince: number | null = null;

  constructor(ws: WebSocket, options: FrameIntakeOptions) {
    this.#options = options;
    this.#gate = new FrameGate({
      deliver: (frame, isControl) => {
        // Other small frames wait as messages.
        const waits = frame.length >= largeBytes || (isControl && options.turns.isBusy);
        if (waits) this.#inTurn(frame.length, () => this.#pass(frame));
        else this.#pass(frame);
      },
      maxMessageBytes: options.maxMessageBytes,
    });
    this.inbound = new Inbound({
      pause: () => {
        this.#gate.hold();
        ws.pause();
      },
      resume: () => {
        this.#gate.release();
        if (!this.inbound.paused) ws.resume();
      },
      maxBytes: options.maxHeldBytes,
      onChanged: options.onChanged,
    });
  }

  /** Bytes of all that has arrived and is not handled. */
  get bytes(): number {
    return this.#gate.keptBytes + this.#waitingBytes + this.inbound.heldBytes;
  }

  /** While a message is delivered: how many bytes it has really, at least, if it is only the beginning. Else null. */
  get cutFrom(): number | null {
    return this.#gate.cutFrom;
  }

  /** Puts the gate before the WebSocket's receiver. Call it once, before anything has arrived. */
  attach(ws: WebSocket, socket: Duplex): void {
    const { turns, now, onChanged } = this.#options;
    this.#pass = gatedReceiver(ws, socket, (chunk) => {
      // Even copying what arrives takes time, if many clients send at once.
      if (turns.isBusy) turns.run(this.inbound.pause());
      this.#gate.push(chunk);
      this.#partialSince = this.#gate.isPartial ? (this.#partialSince ?? now()) : null;
      onChanged();
    });
  }

  /** Handles a message that the WebSocket's receiver has put together, when it is the client's turn. */
  message(bytes: number, handle: () => void): void {
    this.#partialSince = null;
    if (this.#isInTurn) handle();
    else this.#inTurn(bytes, handle);
  }

  /** Handles a message again when another `bytes` leave no more than `most` pending. Reads nothing until then. */
  whenRoom(bytes: number, most: number, messageBytes: number, handle: () => void): void {
    this.#waitingBytes = messageBytes;
    this.inbound.whenRoom(bytes, most, () => {
      this.#waitingBytes = 0;
      handle();
    });
  }

  /** Whether the present message has been arriving for too long. */
  get isLate(): boolean {
    if (this.#partialSince === null || this.inbound.paused) return false;
    const mayTakeMs = messageWithinMs + (this.#gate.keptBytes / slowestBytesPerSecond) * 1_000;
    return this.#options.now() - this.#partialSince > mayTakeMs;
  }

  /** Forgets what has arrived. */
  close(): void {
    this.#gate.close();
    this.#waitingBytes = 0;
  }

  #inTurn(bytes: number, act: () => void): void {
    this.#waitingBytes = bytes;
    let resume: (() => void) | null = null;
    const ran = this.#options.turns.run(() => {
      this.#waitingBytes = 0;
      this.#isInTurn = true;
      act();
      this.#isInTurn = false;
      resume?.();
    });
    if (!ran) resume = this.inbound.pause();
  }
}

/**
 * Puts a gate between a socket and its WebSocket: `read` receives what has arrived, and the returned function passes
 * frames on. The WebSocket reads its socket by a listener, which this replaces.
 */
function gatedReceiver(
  ws: WebSocket,
  socket: Duplex,
  read: (chunk: Buffer) => void,
): (frame: Buffer) => void {
  const receivers = socket.listeners("data") as ((chunk: Buffer) => void)[];
  socket.removeAllListeners("data");
  let isBroken = false;
  ws.once("error", () => (isBroken = true));
  socket.once("close", () => (isBroken = true));
  socket.on("data", (chunk: Buffer) => {
    if (!isBroken) read(chunk);
  });
  return (frame) => {
    if (!isBroken) for (const receive of receivers) receive.call(socket, frame);
  };
}
