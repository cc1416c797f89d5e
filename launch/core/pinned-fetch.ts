import { Agent, fetch as undiciFetch } from "undici";
import type { Pin } from "../../main/connection/pin.ts";
import { connectPinned } from "../../main/connection/pinned-connection.ts";

/** A `fetch` that sends requests only to a server with the pinned key. Without a pin, Node's own. */
export function fetchPinned(pinned: Pin | null): typeof globalThis.fetch {
  if (pinned === null) return fetch;
  const dispatcher = new Agent({
    connect: ({ hostname, port, protocol }, callback) => {
      if (protocol !== "https:") {
        callback(new Error("A server with a pinned key is reached with https://"), null);
        return;
      }
      const host = hostname.replace(/^\[(.*)\]$/, "$1");
      connectPinned({ host, port: Number(port === "" ? 443 : port) }, pinned, (error, socket) => {
        if (error === null && socket !== null) callback(null, socket);
        else callback(error ?? new Error("no connection"), null);
      });
    },
  });
  // The same function as Node's, in a version of its own: only its types differ.
  const pinnedFetch = (input: string, init?: object): Promise<unknown> =>
    undiciFetch(input, { ...init, dispatcher });
  return pinnedFetch as unknown as typeof globalThis.fetch;
}
