import type { ServerMessage } from "../protocol/server-messages.ts";

/** Sends a session's messages. */
export type SessionSocket = {
  /** Resolves when the message was handed to the network. The next transition waits for that. */
  readonly send: (message: ServerMessage) => Promise<void>;
  /** The client violated the protocol and must not retry. */
  readonly refuse: (reason: string) => void;
  /** An internal error: the client reconnects and asks again. */
  readonly fail: (error: unknown) => void;
  /** Closes after what was sent. The client may reconnect. */
  readonly hangUp: (code: number, reason: string) => void;
};
