/** Unanswered pings, or pings without a Connect message, after which the client is considered gone. */
export const maxSilentPings = 4;
/** Pings after which a client that reads nothing of a message is considered gone. Slow lines need a while for one. */
const maxUnreadPings = 8;

/** A connection at the time of a ping. */
type Seen = {
  /** Bytes received so far. */
  readonly bytesRead: number;
  /** Frames handed to the network so far, and bytes that wait for it. */
  readonly sentFrames: number;
  readonly unreadBytes: number;
  /** While reading is paused, silence means nothing. */
  readonly isPaused: boolean;
  /** Whether the client has sent its Connect message. */
  readonly hasSession: boolean;
};

/** Decides at each ping whether the client is still there. */
export class Liveness {
  #bytesRead = 0;
  #sentFrames = 0;
  #silentPings = 0;
  #unreadPings = 0;
  #pingsBeforeConnect = 0;

  /** Call it once for each ping. */
  judge({ bytesRead, sentFrames, unreadBytes, isPaused, hasSession }: Seen): "there" | "unread" | "silent" {
    const isUnread = unreadBytes > 0 && sentFrames === this.#sentFrames;
    this.#unreadPings = isUnread ? this.#unreadPings + 1 : 0;
    this.#sentFrames = sentFrames;
    if (this.#unreadPings >= maxUnreadPings) return "unread";
    const isSilent = bytesRead === this.#bytesRead && !isPaused;
    this.#silentPings = isSilent ? this.#silentPings + 1 : 0;
    this.#bytesRead = bytesRead;
    // A client waiting for its user's token is silent at first, but not forever.
    if (!hasSession) this.#pingsBeforeConnect += 1;
    return Math.max(this.#silentPings, this.#pingsBeforeConnect) >= maxSilentPings ? "silent" : "there";
  }
}
