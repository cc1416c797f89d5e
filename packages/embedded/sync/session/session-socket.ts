import type { ServerMessage } from "../protocol/server-messages.ts";

/** Where a session's messages go. */
export type SessionSocket = {
  /** Resolves when the message was handed to the network: the next transition waits for that. */
  readonly send: (message: ServerMessage) => Promise<void>;
  /** The client did what the protocol forbids: it must not come back with the same. */
  readonly refuse: (reason: string) => void;
  /** We failed: the client reconnects and asks again. */
  readonly fail: (error: unknown) => void;
  /** Nothing more comes after what was sent; the client may come back. */
  readonly hangUp: (code: number, reason: string) => void;
};
