import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { BodyDeadlines, type BodyTimes } from "./body-deadlines.ts";
import { boundConnections, type ConnectionBounds } from "./connection-bounds.ts";
import { closeServer, listen } from "./listen.ts";
import type { TlsFiles } from "./tls-files.ts";
import { requireTls } from "./tls-front.ts";

/** Idle connections are kept a little longer than proxies keep theirs. */
const keepAliveMs = 65_000;
/** Largest request line and headers together, in bytes. Larger ones are answered with 431. */
const maxHeaderBytes = 16 * 1024;
/** Headers of one request. Further ones are ignored. */
const maxHeaders = 200;
/** Connections in all. The system refuses further ones. */
const maxSockets = 30_000;
const checkEveryMs = 5_000;
/** A slow sender of headers holds a connection. */
const defaultHeaderTimes: HeaderTimes = { withinMs: 15_000, checkEveryMs };
const defaultBodyTimes: BodyTimes = {
  totalMs: 5 * 60_000,
  idleMs: 60_000,
  checkEveryMs: checkEveryMs,
  now: () => performance.now(),
};

type HeaderTimes = {
  /** Time limit for a request's headers in ms. */
  readonly withinMs: number;
  /** Check interval in ms, less than half of the limit. */
  readonly checkEveryMs: number;
};

export type Listener = {
  readonly server: Server;
  readonly port: number;
  /** Sets the handler from now on. */
  readonly serve: (listener: RequestListener) => void;
  /** Sets the handler of connections that change to another protocol. */
  readonly onUpgrade: (upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void) => void;
  /** Accepts no more connections, and lets running requests finish for `graceMs`. */
  readonly close: (graceMs: number) => Promise<void>;
};

export type ListenerOptions = {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The handler until `serve` is called. */
  readonly starting: RequestListener;
  /** Whether a path takes uploads, whose total time is unlimited. By default none does. */
  readonly isUpload?: (path: string) => boolean;
  readonly bodyTimes?: BodyTimes;
  readonly headerTimes?: HeaderTimes;
  readonly bounds: ConnectionBounds;
  /** Without it, the port speaks plain HTTP. */
  readonly tls?: TlsFiles | null;
};

/** Binds a port at once. Rejects with PortInUseError. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { host, port, isUpload = () => false, bodyTimes = defaultBodyTimes, tls = null } = options;
  const { headerTimes = defaultHeaderTimes } = options;
  let listener = options.starting;
  const deadlines = new BodyDeadlines(bodyTimes, isUpload);
  const server = createServer({
    headersTimeout: headerTimes.withinMs,
    requestTimeout: 0,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: maxHeaderBytes,
    connectionsCheckingInterval: headerTimes.checkEveryMs,
    // The bounds check it.
    requireHostHeader: false,
  });
  server.maxHeadersCount = maxHeaders;
  server.maxConnections = maxSockets;
  forgiveBlocking(server, headerTimes);
  const connections = boundConnections(server, options.bounds, (request, response) => {
    deadlines.watch(request, response);
    listener(request, response);
  });
  server.once("close", () => deadlines.stop());
  const endHandshakes = tls === null ? () => undefined : requireTls(server, tls);
  const bound = await listen(server, port, host);
  return {
    server,
    port: bound,
    serve: (next) => {
      listener = next;
    },
    onUpgrade: (upgrade) =>
      server.on("upgrade", (request, socket, head) => {
        connections.release(socket);
        upgrade(request, socket, head);
      }),
    close: (graceMs) => {
      endHandshakes();
      return closeServer(server, graceMs);
    },
  };
}

/**
 * Lets Node read requests that arrived while the process was blocked. Before it reads them, it checks how long their headers take,
 * and would answer 408. On a busy machine a second of a function's processor time can take longer than that.
 */
function forgiveBlocking(server: Server, { withinMs, checkEveryMs }: HeaderTimes): void {
  let notedAt = performance.now();
  let blockedAt = -Infinity;
  const isBlocked = (now: number): boolean => now - notedAt > 2 * checkEveryMs;
  const notes = setInterval(() => {
    const now = performance.now();
    if (isBlocked(now)) blockedAt = now;
    notedAt = now;
  }, checkEveryMs);
  notes.unref();
  server.once("close", () => clearInterval(notes));
  // Node reads it at each check. At 0 it checks nothing.
  const headersTimeout = (): number => {
    const now = performance.now();
    return isBlocked(now) || now - blockedAt < checkEveryMs ? 0 : withinMs;
  };
  Object.defineProperty(server, "headersTimeout", { get: headersTimeout });
}
