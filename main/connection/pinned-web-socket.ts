import type { Socket } from "node:net";
import { type ClientOptions, WebSocket as NodeWebSocket } from "ws";
import type { Pin } from "./pin.ts";
import { connectPinned, WrongKeyError } from "./pinned-connection.ts";

type Connected = (error: Error | null, socket: Socket | null) => void;
type CreateConnection = (options: { host: string; port: number | string }, done: Connected) => undefined;

/**
 * A WebSocket class for Convex's client. Its sockets connect only to a server with the pinned key.
 * @param onKey called after each handshake: whether the key was the pinned one, and if not, which it was.
 */
export function pinnedWebSocket(
  pinned: Pin,
  onKey: (key: "right" | WrongKeyError) => void,
): typeof globalThis.WebSocket {
  const createConnection: CreateConnection = ({ host, port }, done) => {
    connectPinned({ host, port: Number(port) }, pinned, (error, socket) => {
      if (error === null) onKey("right");
      else if (error instanceof WrongKeyError) onKey(error);
      done(error, socket);
    });
  };
  class PinnedWebSocket extends NodeWebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      // Node's `http` takes the connection from the callback, for which the types of `ws` have no word.
      super(url, protocols, { createConnection } as unknown as ClientOptions);
    }
  }
  return PinnedWebSocket as unknown as typeof globalThis.WebSocket;
}
