const kib = 1024;
const mib = 1024 * kib;

/**
 * Limits for clients without a verified identity, neither a user's token nor the admin key. Anybody who reaches the
 * ports can be such a client. Bytes are those of the process's memory, as far as they can be estimated.
 */
export type AnonymousLimits = {
  /** A WebSocket message, or the body of a function call over HTTP. */
  readonly messageBytes: number;
  /**
   * All that is kept for one WebSocket: arguments of watched queries and of waiting calls, and a message that has
   * arrived in part. Watched queries may use half of it, and queries without room another eighth.
   */
  readonly connectionBytes: number;
  /**
   * The same for all WebSockets, with answers that their clients have not read, and bodies of HTTP requests. One address
   * may use a quarter of it.
   */
  readonly totalBytes: number;
  /** Sockets of one address, on each port. An IPv6 network of 64 bits counts as one address. */
  readonly connectionsPerAddress: number;
};

const defaultAnonymousLimits: AnonymousLimits = {
  messageBytes: 2 * mib,
  connectionBytes: 4 * mib,
  totalBytes: 256 * mib,
  connectionsPerAddress: 2_000,
};

/** The limits that differ from the defaults. */
export type GivenLimits = { readonly [Limit in keyof AnonymousLimits]?: AnonymousLimits[Limit] | undefined };

/**
 * The limits to use. A larger message needs a larger connection, and a larger connection a larger whole, so those are
 * raised with it.
 */
export function anonymousLimits(given: GivenLimits): AnonymousLimits {
  const defaults = defaultAnonymousLimits;
  const messageBytes = given.messageBytes ?? defaults.messageBytes;
  const connectionBytes = Math.max(given.connectionBytes ?? defaults.connectionBytes, 2 * messageBytes);
  return {
    messageBytes,
    connectionBytes,
    totalBytes: Math.max(given.totalBytes ?? defaults.totalBytes, 4 * connectionBytes),
    connectionsPerAddress: given.connectionsPerAddress ?? defaults.connectionsPerAddress,
  };
}

/** Calls of actions on one WebSocket that run at a time. Further ones wait. */
export const maxRunningActions = 64;

/** Requests of one HTTP connection that are handled at a time. Browsers, proxies and SDKs send one. */
export const maxPipelined = 3;

/** Convex's client waits at least three seconds before it reconnects after a reason that begins with this. */
const backOff = "TooManyConcurrentRequests";

/** Reasons why a WebSocket is closed. They have at most 123 bytes, as WebSockets require. */
export const closeReasons = {
  address: `${backOff}: too many connections from this address. Close some, or raise the limit.`,
  connections: `${backOff}: this deployment has too many connections. Try again later.`,
  memory: `${backOff}: this deployment has no memory left for requests. Try again later.`,
  slow: `${backOff}: a message took too long to arrive. Send it again.`,
} as const;

/** Formats a limit for people: "2 MiB". */
export function bytesInWords(bytes: number): string {
  if (bytes >= mib) return `${String(Math.round((bytes / mib) * 10) / 10)} MiB`;
  return `${String(Math.ceil(bytes / kib))} KiB`;
}
