import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Log } from "../operations/log.ts";
import type { HostCheck } from "../wire/host-check.ts";
import type { SourceOf } from "../wire/request-source.ts";
import { Connection } from "./connection.ts";
import { maxClientMessageBytes } from "./protocol/protocol.ts";
import type { SessionDeps } from "./session/session.ts";

/** The client gives up after 60 s of silence. */
const pingEveryMs = 15_000;
const syncPath = /^\/api\/(?:[^/]{1,64}\/)?sync$/;
const goingAway = 1001;
const farewellMs = 500;

export type ConnectionsOptions = Omit<SessionDeps, "source"> & {
  readonly isAllowedHost: HostCheck;
  readonly sourceOf: SourceOf;
  readonly maxConnections: number;
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
    perMessageDeflate: false,
  });
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
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      this.#accept(ws, request);
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
    const { maxConnections } = this.#options;
    return this.#closing || this.#open.size >= maxConnections ? "503 Service Unavailable" : null;
  }

  #accept(ws: WebSocket, request: IncomingMessage): void {
    const connection = new Connection(ws, {
      deps: { ...this.#options, source: this.#options.sourceOf(request) },
      onDropped: this.#options.onDropped ?? (() => {}),
      bytesRead: () => request.socket.bytesRead,
    });
    this.#open.add(connection);
    ws.on("message", (data: RawData, isBinary: boolean) => {
      if (isBinary) connection.refuse("binary messages are not part of the protocol");
      else connection.receive(textOf(data));
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

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString("utf8");
}
