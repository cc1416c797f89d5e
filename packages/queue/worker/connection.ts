import type { Unsubscribe, WorkerClient } from "./calls.ts";

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
