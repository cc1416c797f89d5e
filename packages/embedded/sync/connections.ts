import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { networkOf } from "../admission/address-count.ts";
import type { Admission } from "../admission/admission.ts";
import { closeReasons } from "../admission/anonymous-limits.ts";
import type { Log } from "../operations/log.ts";
import type { HostCheck } from "../wire/host-check.ts";
import type { RequestSource, SourceOf } from "../wire/request-source.ts";
import { Connection } from "./connection.ts";
import { maxClientMessageBytes } from "./protocol/protocol.ts";
import type { SessionDeps } from "./session/session.ts";

/** The client gives up after 60 s of silence. */
const pingEveryMs = 15_000;
const syncPath = /^\/api\/(?:[^/]{1,64}\/)?sync$/;
const goingAway = 1001;
const tryAgainLater = 1013;
/** Frames of one message. Browsers cut large messages into frames of some 100 KiB. */
const maxFragments = 1_024;
/** Refused WebSockets that may be open at a time, to tell their clients the reason. */
const maxRefused = 100;
const farewellMs = 500;

export type ConnectionsOptions = Omit<SessionDeps, "source" | "turns"> & {
  readonly isAllowedHost: HostCheck;
  readonly sourceOf: SourceOf;
  readonly maxConnections: number;
  readonly admission: Admission;
  readonly log: Log;
  readonly pingEveryMs?: number;
  /** How long running functions have to finish and be answered at shutdown, in ms. */
  readonly graceMs: number;
  /** Called when a client was disconnected because it does not read. */
  readonly onDropped?: () => void;
};

/** All WebSockets of the deployment: accepts, pings and closes them. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: maxClientMessageBytes,
    // A small compressed message may become a large one.
    perMessageDeflate: false,
    maxFragments,
    // The gate cuts messages anywhere, and a message belongs to the frame that ends it.
    skipUTF8Validation: true,
    allowSynchronousEvents: true,
  });
  #refused = 0;
  readonly #open = new Set<Connection>();
  readonly #pinger: NodeJS.Timeout;
  #closing = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#pinger = setInterval(() => {
      for (const connection of this.#open) connection.ping();
    }, options.pingEveryMs ?? pingEveryMs);
    this.#pinger.unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Handles an upgrade from the HTTP server; refuses other paths than the sync endpoint. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = this.#refusalOf(request);
    if (refusal !== null) {
      // No other handler is left: a client's reset must not crash the process.
      socket.on("error", () => socket.destroy());
      socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const source = this.#options.sourceOf(request);
    const address = networkOf(source.ip);
    const leave = this.#options.admission.webSockets.enter(address);
    const reason =
      leave === null ? "address" : this.#open.size >= this.#options.maxConnections ? "connections" : null;
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      ws.on("close", () => leave?.());
      if (reason === null) this.#accept(ws, request, { source, address });
      else this.#refuse(ws, reason);
    });
  }

  /** Asks every client to reconnect later, once its running calls are answered. Cuts those that do not close. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#pinger);
    const grace = Promise.withResolvers<undefined>();
    const over = setTimeout(() => grace.resolve(undefined), this.#options.graceMs);
    await Promise.all([...this.#open].map((connection) => dismiss(connection, grace.promise)));
    clearTimeout(over);
    this.#server.close();
    await this.#options.mutationQueues.idle();
  }

  #refusalOf(request: IncomingMessage): string | null {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    if (!syncPath.test(path)) return "404 Not Found";
    if (!this.#options.isAllowedHost(request.headers.host)) return "403 Forbidden";
    return this.#closing || this.#refused >= maxRefused ? "503 Service Unavailable" : null;
  }

  /** A browser's page does not learn the status of a refused upgrade. So the WebSocket opens and closes with a reason. */
  #refuse(ws: WebSocket, reason: "address" | "connections"): void {
    this.#options.admission.refusals.count(reason);
    this.#refused += 1;
    ws.on("error", () => ws.terminate());
    const cut = setTimeout(() => ws.terminate(), farewellMs);
    ws.on("close", () => {
      this.#refused -= 1;
      clearTimeout(cut);
    });
    ws.close(tryAgainLater, closeReasons[reason]);
  }

  #accept(
    ws: WebSocket,
    { socket }: IncomingMessage,
    { source, address }: { readonly source: RequestSource; readonly address: string | null },
  ): void {
    const { admission } = this.#options;
    const connection = new Connection(ws, {
      deps: { ...this.#options, source, turns: admission.turns },
      onDropped: this.#options.onDropped ?? (() => {}),
      bytesRead: () => socket.bytesRead,
      admission,
      account: admission.budget.open(address),
    });
    connection.gateFrames(socket);
    this.#open.add(connection);
    ws.on("message", (data: Buffer, isBinary: boolean) => {
      if (isBinary) connection.refuse("binary messages are not part of the protocol");
      else connection.receive(data);
    });
    ws.on("pong", (payload: Buffer) => {
      connection.pong(payload.toString("latin1"));
    });
    ws.on("error", (error: Error) => {
      this.#options.log.warn("websocket.broke", { message: error.message });
    });
    ws.on("close", () => {
      connection.ended();
      this.#open.delete(connection);
    });
  }
}

async function dismiss(connection: Connection, grace: Promise<undefined>): Promise<void> {
  // Don't wait for a client that has left: nobody reads its answers.
  await Promise.race([connection.drain(), connection.closed, grace]);
  connection.close(goingAway, "server is stopping");
  const cut = setTimeout(() => connection.terminate(), farewellMs);
  await connection.closed;
  clearTimeout(cut);
}
