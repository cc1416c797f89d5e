import type { Socket } from "node:net";
import { type ClientOptions, WebSocket as NodeWebSocket } from "ws";
import type { Pin } from "./pin.ts";
import { connectPinned } from "./pinned-connection.ts";

type Connected = (error: Error | null, socket: Socket | null) => void;
type CreateConnection = (options: { host: string; port: number | string }, done: Connected) => undefined;

/**
 * A WebSocket class for Convex's client. With a pin, its sockets connect only to a server with that key.
 * @param onOutcome called after each attempt to connect, and after each error: null for an open connection.
 */
export function backendWebSocket(
  pin: Pin | null,
  onOutcome: (error: Error | null) => void,
): typeof globalThis.WebSocket {
  // Node's `http` takes the connection from the callback, for which the types of `ws` have no word.
  const options = pin === null ? {} : ({ createConnection: pinnedTo(pin) } as unknown as ClientOptions);
  class BackendWebSocket extends NodeWebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols, options);
      this.on("open", () => onOutcome(null));
      this.on("error", onOutcome);
    }
  }
  return BackendWebSocket as unknown as typeof globalThis.WebSocket;
}

function pinnedTo(pin: Pin): CreateConnection {
  return ({ host, port }, done) => {
    connectPinned({ host, port: Number(port) }, pin, done);
    return undefined;
  };
}
