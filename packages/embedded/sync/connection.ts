import { isUtf8 } from "node:buffer";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Admission } from "../admission/admission.ts";
import { bytesInWords, closeReasons } from "../admission/anonymous-limits.ts";
import type { Account } from "../admission/byte-budget.ts";
import { describeError, type Log } from "../operations/log.ts";
import { headBytes } from "../wire/frame-gate.ts";
import { FrameIntake } from "./frame-intake.ts";
import { maxPendingBytes } from "./inbound.ts";
import { Liveness, maxSilentPings } from "./liveness.ts";
import { Outbox } from "./outbox.ts";
import { callIn, maxClientMessageBytes, parseClientMessage } from "./protocol/protocol.ts";
import { refusedCall } from "./protocol/server-messages.ts";
import { Session, type SessionDeps } from "./session/session.ts";
import type { SessionSocket } from "./session/session-socket.ts";

/** With more unread bytes than this, a client would not read why it is disconnected. */
const maxBytesBeforeReason = 16 * 1024;
/** Memory of a pending call besides its arguments, in bytes, estimated. */
const bytesPerCall = 1_024;
const protocolError = 1002;
const internalError = 1011;
const tryAgainLater = 1013;
const open = 1;

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

/** One WebSocket: its messages, and the session that its first message starts. */
export class Connection {
  readonly #ws: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #deps: SessionDeps;
  readonly #log: Log;
  readonly #intake: FrameIntake;
  readonly #outbox: Outbox;
  readonly #liveness = new Liveness();
  #session: Session | null = null;
  #watchedBytes = 0;
  #resolveClosed: () => void = () => undefined;
  readonly closed: Promise<void>;

  constructor(ws: WebSocket, options: ConnectionOptions) {
    this.#ws = ws;
    this.#options = options;
    this.#deps = options.deps;
    this.#log = options.deps.log;
    const { limits, turns } = options.admission;
    this.#outbox = new Outbox(ws, {
      onChanged: () => this.#charge(),
      onUnread: () => this.#drop(),
    });
    this.#intake = new FrameIntake(ws, {
      turns,
      now: options.deps.clocks.steady,
      maxMessageBytes: () => (this.#isVerified ? maxClientMessageBytes : limits.messageBytes),
      maxHeldBytes: () =>
        this.#isVerified
          ? maxPendingBytes
          : Math.max(0, this.#room() - limits.messageBytes - ws.bufferedAmount),
      onChanged: () => this.#charge(),
    });
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** Bounds what the WebSocket receives, and joins what it sends. Call it once, before anything has arrived. */
  gateFrames(socket: Duplex): void {
    this.#intake.attach(this.#ws, socket);
    this.#outbox.attach(socket);
  }

  get #isVerified(): boolean {
    return this.#session !== null && this.#session.isVerified;
  }

  /** Receives a message from the WebSocket, while the gate delivers its last frame. */
  receive(data: Buffer): void {
    if (this.#ws.readyState !== open) return;
    const { cutFrom } = this.#intake;
    if (cutFrom !== null) {
      this.#refuseLarge(data.toString("utf8"), cutFrom, this.#options.admission.limits.messageBytes);
      return;
    }
    if (!isUtf8(data)) {
      this.refuse("Received a message that is not UTF-8.");
      return;
    }
    this.#intake.message(data.length, () => this.#handle(data));
  }

  #handle(data: Buffer): void {
    if (this.#ws.readyState !== open) return;
    const { inbound } = this.#intake;
    const room = this.#room();
    const parsed = parseClientMessage(data.toString("utf8"), room - inbound.heldBytes - bytesPerCall);
    if (parsed.kind === "too large") {
      const bytes = parsed.memoryBytes + bytesPerCall;
      if (bytes <= room && inbound.heldBytes > 0) {
        this.#intake.whenRoom(bytes, room, data.length, () => this.#handle(data));
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
      this.#session.receive(message, inbound.hold(parsed.memoryBytes + bytesPerCall));
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
    const unread = this.#outbox.unreadBytes;
    const kept = this.#intake.bytes + this.#watchedBytes + unread;
    if (this.#options.account.set(this.#isVerified ? 0 : kept)) return;
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
    else void this.#outbox.send(refusedCall(call.type, call.requestId, reason));
  }

  #hangUp(reason: keyof typeof closeReasons): void {
    if (this.#ws.readyState !== open) return;
    this.#options.admission.refusals.count(reason);
    this.#log.warn("websocket.refused", { message: closeReasons[reason] });
    this.close(tryAgainLater, closeReasons[reason]);
  }

  ping(): void {
    const state = this.#liveness.judge({
      bytesRead: this.#options.bytesRead(),
      sentFrames: this.#outbox.sentFrames,
      unreadBytes: this.#ws.bufferedAmount,
      isPaused: this.#intake.inbound.paused,
      hasSession: this.#session !== null,
    });
    if (state === "unread") this.#drop();
    if (state === "silent") this.#ws.terminate();
    if (state !== "there") return;
    if (this.#intake.isLate && !this.#isVerified) {
      this.#hangUp("slow");
      return;
    }
    void this.#outbox.send({ type: "Ping" });
    const acknowledgments = this.#session?.acknowledgments;
    // Pongs come after everything the client has sent, which may be a lot.
    if ((acknowledgments?.unansweredPings ?? 0) >= maxSilentPings) return;
    if (this.#ws.readyState === open) this.#ws.ping(acknowledgments?.ping());
  }

  pong(payload: string): void {
    this.#session?.acknowledgments.pong(payload, this.#deps.clocks.steady());
  }

  /** Sends a FatalError, which stops the client for good: otherwise it would resend the same message. */
  refuse(reason: string): void {
    this.#log.warn("websocket.refused", { message: reason });
    void this.#outbox.send({ type: "FatalError", error: reason });
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
    this.#intake.close();
    this.#charge();
    this.#resolveClosed();
  }

  #socket(): SessionSocket {
    return {
      send: (...messages) => this.#outbox.send(...messages),
      refuse: (reason) => {
        this.refuse(reason);
      },
      fail: (error) => {
        this.#log.error("session.failed", { message: describeError(error) });
        this.close(internalError, "InternalServerError");
      },
      pauseReading: () => this.#intake.inbound.pause(),
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
}
