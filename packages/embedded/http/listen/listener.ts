import { createServer, type RequestListener, type Server } from "node:http";
import { BodyDeadlines, type BodyTimes } from "./body-deadlines.ts";
import { listen } from "./listen.ts";

/** How long a request's headers may take to arrive (a slow one holds a connection), in ms. */
const headersWithinMs = 15_000;
/** A connection without a request is kept a little longer than proxies keep theirs. */
const keepAliveMs = 65_000;
/** Of the request line and all headers together, in bytes; a longer one is told 431. */
const maxHeaderBytes = 16 * 1024;
const checkEveryMs = 5_000;
const defaultBodyTimes: BodyTimes = {
  totalMs: 5 * 60_000,
  idleMs: 60_000,
  checkEveryMs: checkEveryMs,
  now: () => performance.now(),
};

export type Listener = {
  readonly server: Server;
  readonly port: number;
  /** Who answers from now on. */
  readonly serve: (listener: RequestListener) => void;
};

export type ListenerOptions = {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Answers until `serve`. */
  readonly starting: RequestListener;
  /** Whether bodies sent to a path may take as long as they keep coming; none unless told otherwise. */
  readonly isUpload?: (path: string) => boolean;
  readonly bodyTimes?: BodyTimes;
};

/** Binds a port at once. Rejects with PortInUseError. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { host, port, isUpload = () => false, bodyTimes = defaultBodyTimes } = options;
  let listener = options.starting;
  const deadlines = new BodyDeadlines(bodyTimes, isUpload);
  const server = createServer(
    {
      headersTimeout: headersWithinMs,
      requestTimeout: 0,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: maxHeaderBytes,
      connectionsCheckingInterval: checkEveryMs,
    },
    (request, response) => {
      deadlines.watch(request, response);
      listener(request, response);
    },
  );
  server.once("close", () => deadlines.stop());
  const bound = await listen(server, port, host);
  return {
    server,
    port: bound,
    serve: (next) => {
      listener = next;
    },
  };
}
