import { isUtf8 } from "node:buffer";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Admission } from "../admission/admission.ts";
import { bytesInWords, closeReasons } from "../admission/anonymous-limits.ts";
import type { Account } from "../admission/byte-budget.ts";
import { describeError, type Log } from "../operations/log.ts";
import { FrameGate, headBytes } from "../wire/frame-gate.ts";
import { Inbound, maxPendingBytes } from "./inbound.ts";
import { callIn, maxClientMessageBytes, parseClientMessage } from "./protocol/protocol.ts";
import { refusedCall, type ServerMessage } from "./protocol/server-messages.ts";
import { transitionFrames } from "./protocol/transition-chunks.ts";
import { Session, type SessionDeps } from "./session/session.ts";
import type { SessionSocket } from "./session/session-socket.ts";

/** A client with more unread bytes than this is considered gone. */
const maxBufferedBytes = 32 * 1024 * 1024;
/** With more unread bytes than this, a client would not read why it is disconnected. */
const maxBytesBeforeReason = 16 * 1024;
/** Unanswered pings, or pings without a Connect message, after which the client is considered gone. */
const maxSilentPings = 4;
/** Pings after which a client that reads nothing of a message is considered gone. Slow lines need a while for one. */
const maxUnreadPings = 8;
/** A message may take this long to arrive, in ms, and a second more for each of these bytes. */
const messageWithinMs = 30_000;
const slowestBytesPerSecond = 8 * 1024;
/** Larger frames take noticeable time to unmask, check and parse. */
const largeBytes = 16 * 1024;
/** Memory of a pending call besides its arguments, in bytes, estimated. */
const bytesPerCall = 1_024;
const protocolError = 1002;
const internalError = 1011;
const tryAgainLater = 1013;
const open = 1;
const closed = 3;

export type ConnectionOptions = {
  readonly deps: SessionDeps;
  /** Called when a client was disconnected because it does not read. */
  readonly onDropped: () => void;
  /** Bytes received from the client so far, partial messages included. */
  readonly bytesRead: () => number;
  readonly admission: Admission;
  /** The client's part of the memory for anonymous clients. */
  readonly account: Account;
};

/** One WebSocket: its frames, and the session that its first message starts. */
export class Connection {
  readonly #ws: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #deps: SessionDeps;
  readonly #log: Log;
  readonly #inbound: Inbound;
  readonly #gate: FrameGate;
  #session: Session | null = null;
  /** Bytes of a whole message that waits for its turn, or for room. */
  #waitingBytes = 0;
  #isInTurn = false;
  #watchedBytes = 0;
  #bytesAtPing = 0;
  #silentPings = 0;
  #pingsBeforeConnect = 0;
  #sentFrames = 0;
  #sentFramesAtPing = 0;
  #unreadPings = 0;
  /** When the present message began to arrive; null between messages. */
  #partialSince: number | null = null;
  #resolveClosed: () => void = () => undefined;
  readonly closed: Promise<void>;

  constructor(ws: WebSocket, options: ConnectionOptions) {
    this.#ws = ws;
    this.#options = options;
    this.#deps = options.deps;
    this.#log = options.deps.log;
    const { turns } = options.admission;
    let pass: (frame: Buffer) => void = () => undefined;
    this.#gate = new FrameGate({
      deliver: (frame) => {
        if (frame.length < largeBytes) pass(frame);
        else this.#inTurn(frame.length, () => pass(frame));
      },
      maxMessageBytes: () =>
        this.#isVerified ? maxClientMessageBytes : options.admission.limits.messageBytes,
    });
    this.#inbound = new Inbound({
      pause: () => {
        this.#gate.hold();
        ws.pause();
      },
      resume: () => {
        this.#gate.release();
        if (!this.#inbound.paused) ws.resume();
      },
      maxBytes: () =>
        this.#isVerified
          ? maxPendingBytes
          : Math.max(0, this.#room() - options.admission.limits.messageBytes - ws.bufferedAmount),
      onChanged: () => this.#charge(),
    });
    this.gateFrames = (socket) => {
      pass = gatedReceiver(ws, socket, (chunk) => {
        // Even copying what arrives takes time, if many clients send at once.
        if (turns.isBusy) turns.run(this.#inbound.pause());
        this.#gate.push(chunk);
        this.#partialSince = this.#gate.isPartial ? (this.#partialSince ?? this.#deps.now()) : null;
        this.#charge();
      });
    };
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** Puts the gate before the WebSocket's receiver. Call it once, before anything has arrived. */
  readonly gateFrames: (socket: Duplex) => void;

  get #isVerified(): boolean {
    return this.#session !== null && this.#session.isVerified;
  }

  /** Receives a message from the WebSocket, while the gate delivers its last frame. */
  receive(data: Buffer): void {
    if (this.#ws.readyState !== open) return;
    const { cutFrom } = this.#gate;
    if (cutFrom !== null) {
      this.#refuseLarge(data.toString("utf8"), cutFrom, this.#options.admission.limits.messageBytes);
      return;
    }
    if (!isUtf8(data)) {
      this.refuse("Received a message that is not UTF-8.");
      return;
    }
    this.#partialSince = null;
    if (this.#isInTurn) this.#handle(data);
    else this.#inTurn(data.length, () => this.#handle(data));
  }

  /** Does something with what has arrived when it is the client's turn. Until then nothing more is read. */
  #inTurn(bytes: number, act: () => void): void {
    this.#waitingBytes = bytes;
    let resume: (() => void) | null = null;
    const ran = this.#options.admission.turns.run(() => {
      this.#waitingBytes = 0;
      this.#isInTurn = true;
      act();
      this.#isInTurn = false;
      resume?.();
    });
    if (!ran) resume = this.#inbound.pause();
  }

  #handle(data: Buffer): void {
    if (this.#ws.readyState !== open) return;
    const room = this.#room();
    const parsed = parseClientMessage(data.toString("utf8"), room - this.#inbound.heldBytes - bytesPerCall);
    if (parsed.kind === "too large") {
      const bytes = parsed.memoryBytes + bytesPerCall;
      if (bytes <= room && this.#inbound.heldBytes > 0) {
        this.#waitingBytes = data.length;
        this.#inbound.whenRoom(bytes, room, () => {
          this.#waitingBytes = 0;
          this.#handle(data);
        });
      } else {
        this.#refuseLarge(data.toString("utf8", 0, headBytes), parsed.memoryBytes, room);
      }
      return;
    }
    if (parsed.kind === "invalid") {
      this.refuse(`Received an invalid message: ${parsed.reason}`);
      return;
    }
    const { message } = parsed;
    if (this.#session !== null) {
      this.#session.receive(message, this.#inbound.hold(parsed.memoryBytes + bytesPerCall));
    } else if (message.type === "Connect") {
      this.#session = new Session(this.#deps, this.#socket(), message);
    } else this.refuse(`${message.type} before Connect`);
  }

  /** Bytes that pending messages may use besides the watched queries. */
  #room(): number {
    return this.#isVerified ? Infinity : this.#options.admission.limits.connectionBytes - this.#watchedBytes;
  }

  /** Accounts for everything that is kept for the client. Without memory for it, the client must come back later. */
  #charge(): void {
    const { account } = this.#options;
    // A closed socket still counts what it never wrote.
    const unread = this.#ws.readyState === closed ? 0 : this.#ws.bufferedAmount;
    const received = this.#gate.keptBytes + this.#waitingBytes + this.#inbound.heldBytes;
    const kept = received + this.#watchedBytes + unread;
    if (account.set(this.#isVerified ? 0 : kept)) return;
    this.#hangUp("memory");
    // A close frame would wait behind the unread bytes, and they in memory until it is answered.
    if (unread > maxBytesBeforeReason) this.#ws.terminate();
  }

  /** A call is refused by its answer, so that the client's other work goes on. Any other message is fatal. */
  #refuseLarge(head: string, bytes: number, limit: number): void {
    this.#options.admission.refusals.count("message");
    const reason =
      `This message needs ${bytesInWords(bytes)}, and at most ${bytesInWords(limit)} are accepted here without a ` +
      "user's token or the admin key. Send less at a time.";
    const call = callIn(head);
    if (call === null || this.#session === null) this.refuse(reason);
    else void this.#send(refusedCall(call.type, call.requestId, reason));
  }

  #hangUp(reason: keyof typeof closeReasons): void {
    if (this.#ws.readyState !== open) return;
    this.#options.admission.refusals.count(reason);
    this.#log.warn("websocket.refused", { message: closeReasons[reason] });
    this.close(tryAgainLater, closeReasons[reason]);
  }

  ping(): void {
    if (this.#isGone()) {
      this.#ws.terminate();
      return;
    }
    if (this.#isLate()) {
      this.#hangUp("slow");
      return;
    }
    void this.#send({ type: "Ping" });
    const acknowledgments = this.#session?.acknowledgments;
    // Pongs come after everything the client has sent, which may be a lot.
    if ((acknowledgments?.unansweredPings ?? 0) >= maxSilentPings) return;
    if (this.#ws.readyState === open) this.#ws.ping(acknowledgments?.ping());
  }

  pong(payload: string): void {
    this.#session?.acknowledgments.pong(payload, this.#deps.now());
  }

  /** Sends a FatalError, which stops the client for good: otherwise it would resend the same message. */
  refuse(reason: string): void {
    this.#log.warn("websocket.refused", { message: reason });
    void this.#send({ type: "FatalError", error: reason });
    this.close(protocolError, "protocol error");
  }

  /** Starts nothing more. Resolves when running calls are answered. */
  async drain(): Promise<void> {
    await this.#session?.drain();
  }

  close(code: number, reason: string): void {
    // The client's close frame comes after unread messages; drop them.
    this.#ws.resume();
    this.#ws.close(code, reason);
  }

  terminate(): void {
    this.#ws.terminate();
  }

  /** Called when the socket has closed. */
  ended(): void {
    this.#session?.close();
    this.#gate.close();
    this.#waitingBytes = 0;
    this.#charge();
    this.#resolveClosed();
  }

  #isLate(): boolean {
    if (this.#partialSince === null || this.#inbound.paused || this.#isVerified) return false;
    const mayTakeMs = messageWithinMs + (this.#gate.keptBytes / slowestBytesPerSecond) * 1_000;
    return this.#deps.now() - this.#partialSince > mayTakeMs;
  }

  #isGone(): boolean {
    const isUnread = this.#ws.bufferedAmount > 0 && this.#sentFrames === this.#sentFramesAtPing;
    this.#unreadPings = isUnread ? this.#unreadPings + 1 : 0;
    this.#sentFramesAtPing = this.#sentFrames;
    if (this.#unreadPings >= maxUnreadPings) {
      this.#drop();
      return true;
    }
    const bytesRead = this.#options.bytesRead();
    // While reading is paused, silence means nothing.
    const isSilent = bytesRead === this.#bytesAtPing && !this.#inbound.paused;
    this.#silentPings = isSilent ? this.#silentPings + 1 : 0;
    this.#bytesAtPing = bytesRead;
    // A client waiting for its user's token is silent at first, but not forever.
    if (this.#session === null) this.#pingsBeforeConnect += 1;
    return Math.max(this.#silentPings, this.#pingsBeforeConnect) >= maxSilentPings;
  }

  #socket(): SessionSocket {
    return {
      send: (message) => this.#send(message),
      refuse: (reason) => {
        this.refuse(reason);
      },
      fail: (error) => {
        this.#log.error("session.failed", { message: describeError(error) });
        this.close(internalError, "InternalServerError");
      },
      pauseReading: () => this.#inbound.pause(),
      watched: (bytes) => {
        this.#watchedBytes = bytes;
        this.#charge();
      },
      queryRefused: () => this.#options.admission.refusals.count("queries"),
      maxWatchedBytes: () =>
        this.#isVerified ? maxPendingBytes : this.#options.admission.limits.connectionBytes / 2,
      hangUp: (code, reason) => {
        this.close(code, reason);
      },
    };
  }

  #drop(): void {
    this.#options.onDropped();
    this.#log.warn("websocket.dropped", { message: "the client does not read" });
    this.#ws.terminate();
  }

  async #send(message: ServerMessage): Promise<void> {
    if (this.#ws.readyState !== open) return;
    if (this.#ws.bufferedAmount > maxBufferedBytes) {
      this.#drop();
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
        this.#charge();
        resolve();
      });
      this.#charge();
    });
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
