import type { BaseConvexClient, ConvexClient } from "convex/browser";
import { ConvexError } from "convex/values";

/** The part of a `ConvexClient` that a worker uses. */
export type WorkerClient = Pick<ConvexClient, "mutation" | "onUpdate"> & {
  readonly client: Pick<BaseConvexClient, "connectionState" | "subscribeToConnectionState">;
};

export type Unsubscribe = () => void;

/** `generation` grows with every new connection. */
export type Connection = { readonly connected: boolean; readonly generation: number };

export const notConnected: Connection = { connected: false, generation: 0 };

/** Calls back at once, then at each change. */
export function followConnection(
  client: Pick<WorkerClient, "client">,
  listener: (connection: Connection) => void,
): Unsubscribe {
  let last: Connection | null = null;
  const tell = (): void => {
    const { isWebSocketConnected: connected, connectionCount: generation } = client.client.connectionState();
    if (last?.connected === connected && last.generation === generation) return;
    last = { connected, generation };
    listener(last);
  };
  tell();
  return client.client.subscribeToConnectionState(tell);
}

/** The queue does not know this key, or no longer takes it: asking again does not help. */
export class UnknownWorkerError extends Error {
  override readonly name = "UnknownWorkerError";
}

/** The meaning of an error of a call or a subscription. An app may refuse a worker that it retired as `retired`. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof ConvexError)) return error;
  const { code } = (error.data ?? {}) as { readonly code?: unknown };
  return code === "unauthorized" || code === "retired" ? new UnknownWorkerError(code) : error;
}
