import type { ServerMessage } from "../protocol/server-messages.ts";

/** Sends a session's messages. */
export type SessionSocket = {
  /** Resolves when the messages were handed to the network, in one write. The next transition waits for that. */
  readonly send: (...messages: readonly ServerMessage[]) => Promise<void>;
  /** The client violated the protocol and must not retry. */
  readonly refuse: (reason: string) => void;
  /** An internal error: the client reconnects and asks again. */
  readonly fail: (error: unknown) => void;
  /** Reads nothing more from the client until the returned function is called. */
  readonly pauseReading: () => () => void;
  /** Reports the memory of the watched queries, in bytes. */
  readonly watched: (bytes: number) => void;
  /** Reports that a query is not watched, for lack of memory. */
  readonly queryRefused: () => void;
  /** The most that watched queries may use now, in bytes. */
  readonly maxWatchedBytes: () => number;
  /** Closes after what was sent. The client may reconnect. */
  readonly hangUp: (code: number, reason: string) => void;
};
