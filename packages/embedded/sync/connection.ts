import type { WebSocket } from "ws";
import { describeError, type Log } from "../operations/log.ts";
import { Inbound } from "./inbound.ts";
import { parseClientMessage } from "./protocol/protocol.ts";
import type { ServerMessage } from "./protocol/server-messages.ts";
import { transitionFrames } from "./protocol/transition-chunks.ts";
import { Session, type SessionDeps } from "./session/session.ts";
import type { SessionSocket } from "./session/session-socket.ts";

/** A client with more unread bytes than this is considered gone. */
export const maxBufferedBytes = 32 * 1024 * 1024;
/** Unanswered pings, or pings without a Connect message, after which the client is considered gone. */
const maxSilentPings = 4;
const protocolError = 1002;
const internalError = 1011;
const open = 1;

type ConnectionOptions = {
  readonly deps: SessionDeps;
  /** Called when a client was disconnected because it does not read. */
  readonly onDropped: () => void;
  /** Bytes received from the client so far, partial messages included. */
  readonly bytesRead: () => number;
};

/** One WebSocket: its frames, and the session that its first message starts. */
export class Connection {
  readonly #ws: WebSocket;
  readonly #deps: SessionDeps;
  readonly #log: Log;
  readonly #onDropped: () => void;
  readonly #inbound: Inbound;
  #session: Session | null = null;
  readonly #bytesRead: () => number;
  #bytesAtPing = 0;
  #silentPings = 0;
  #pingsBeforeConnect = 0;
  #resolveClosed: () => void = () => undefined;
  readonly closed: Promise<void>;

  constructor(ws: WebSocket, options: ConnectionOptions) {
    this.#ws = ws;
    this.#deps = options.deps;
    this.#log = options.deps.log;
    this.#onDropped = options.onDropped;
    this.#bytesRead = options.bytesRead;
    this.#inbound = new Inbound({ pause: () => ws.pause(), resume: () => ws.resume() });
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  receive(text: string): void {
    if (this.#ws.readyState !== open) return;
    const parsed = parseClientMessage(text);
    if (parsed.kind === "invalid") {
      this.refuse(`Received an invalid message: ${parsed.reason}`);
      return;
    }
    const { message } = parsed;
    if (this.#session !== null) {
      this.#session.receive(message, this.#inbound.hold(Buffer.byteLength(text)));
    } else if (message.type === "Connect") {
      this.#session = new Session(this.#deps, this.#socket(), message);
    } else this.refuse(`${message.type} before Connect`);
  }

  ping(): void {
    if (this.#isGone()) {
      this.#ws.terminate();
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
    this.#resolveClosed();
  }

  #isGone(): boolean {
    const bytesRead = this.#bytesRead();
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
      hangUp: (code, reason) => {
        this.close(code, reason);
      },
    };
  }

  async #send(message: ServerMessage): Promise<void> {
    if (this.#ws.readyState !== open) return;
    if (this.#ws.bufferedAmount > maxBufferedBytes) {
      this.#onDropped();
      this.#log.warn("websocket.dropped", { message: "the client does not read" });
      this.#ws.terminate();
      return;
    }
    const frames = message.type === "Transition" ? transitionFrames(message) : [JSON.stringify(message)];
    await Promise.all(frames.map((frame) => this.#sendFrame(frame)));
  }

  /** Also resolves when the socket closes meanwhile. */
  #sendFrame(frame: string): Promise<void> {
    return new Promise((resolve) => {
      this.#ws.send(frame, () => {
        resolve();
      });
    });
  }
}
