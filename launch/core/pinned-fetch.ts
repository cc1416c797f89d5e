import { Agent, fetch as undiciFetch } from "undici";
import type { Pin } from "../../main/connection/pin.ts";
import { connectPinned } from "../../main/connection/pinned-connection.ts";

/**
 * A `fetch` that ends each call, its body included, after `withinMs` ms, or by the signal of the call if it has one. It
 * sends requests only to a server with the pinned key, or without a pin, to any.
 */
export function fetchPinned(pinned: Pin | null, withinMs: number): typeof globalThis.fetch {
  const dispatcher = pinned === null ? null : agentFor(pinned);
  return async (input, init = {}) => {
    const signal = init.signal ?? AbortSignal.timeout(withinMs);
    if (dispatcher === null) return await fetch(input, { ...init, signal });
    // The same function as Node's, in a version of its own: only its types differ.
    const pinnedFetch = undiciFetch as unknown as (input: unknown, init: object) => Promise<Response>;
    return await pinnedFetch(input, { ...init, signal, dispatcher });
  };
}

function agentFor(pinned: Pin): Agent {
  return new Agent({
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
}
