import { createServer, type RequestListener, type Server } from "node:http";
import { listen } from "./listen.ts";

/** How long a request's headers may take to arrive (a slow one holds a connection), in ms. */
const HEADERS_WITHIN_MS = 15_000;
/** And all of it, body included. */
const REQUEST_WITHIN_MS = 5 * 60_000;
/** A connection without a request is kept a little longer than proxies keep theirs. */
const KEEP_ALIVE_MS = 65_000;
/** Of the request line and all headers together, in bytes; a longer one is told 431. */
const MAX_HEADER_BYTES = 16 * 1024;
const CHECK_EVERY_MS = 5_000;

export type Listener = {
  readonly server: Server;
  readonly port: number;
  /** Who answers from now on. */
  readonly serve: (listener: RequestListener) => void;
};

/** Binds a port at once; until `serve`, `starting` answers. Rejects with PortInUseError. */
export async function openListener(host: string, port: number, starting: RequestListener): Promise<Listener> {
  let listener = starting;
  const server = createServer(
    {
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: REQUEST_WITHIN_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      connectionsCheckingInterval: CHECK_EVERY_MS,
    },
    (request, response) => listener(request, response),
  );
  const bound = await listen(server, port, host);
  return {
    server,
    port: bound,
    serve: (next) => {
      listener = next;
    },
  };
}
