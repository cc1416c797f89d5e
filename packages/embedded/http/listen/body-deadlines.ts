import type { IncomingMessage, ServerResponse } from "node:http";

export type BodyTimes = {
  /** How long a request may take to arrive, body included, in ms. */
  readonly totalMs: number;
  /**
   * How long an upload may pause, in ms. Its total time is not limited, because large files on slow lines take
   * long.
   */
  readonly idleMs: number;
  /** Check interval in ms. */
  readonly checkEveryMs: number;
  /** A clock in ms; only differences count. */
  readonly now: () => number;
};

type Awaited = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly isUpload: boolean;
  /** When the request began; for an upload, when bytes last arrived. */
  since: number;
  bytes: number;
};

const timedOut = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/**
 * Cuts requests whose bodies do not arrive. Node's own limit can't tell endpoints apart, and would cut long
 * uploads.
 */
export class BodyDeadlines {
  readonly #times: BodyTimes;
  readonly #isUpload: (path: string) => boolean;
  readonly #awaited = new Set<Awaited>();
  readonly #checks: NodeJS.Timeout;

  constructor(times: BodyTimes, isUpload: (path: string) => boolean) {
    this.#times = times;
    this.#isUpload = isUpload;
    this.#checks = setInterval(() => this.#check(), times.checkEveryMs);
    this.#checks.unref();
  }

  watch(request: IncomingMessage, response: ServerResponse): void {
    const { headers, url = "/", socket } = request;
    if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) return;
    const isUpload = this.#isUpload(url.split("?", 1)[0] ?? "/");
    const awaited = { request, response, isUpload, since: this.#times.now(), bytes: socket.bytesRead };
    this.#awaited.add(awaited);
    request.once("close", () => this.#awaited.delete(awaited));
  }

  stop(): void {
    clearInterval(this.#checks);
  }

  #check(): void {
    const now = this.#times.now();
    for (const awaited of this.#awaited) {
      const { request, response, isUpload, since } = awaited;
      if (request.complete || request.destroyed) this.#awaited.delete(awaited);
      else if (isUpload ? this.#isIdle(awaited, now) : now - since > this.#times.totalMs) {
        this.#awaited.delete(awaited);
        cut(request, response);
      }
    }
  }

  #isIdle(awaited: Awaited, now: number): boolean {
    const { request } = awaited;
    const { bytesRead } = request.socket;
    // Unread buffered bytes mean that the client waits for us.
    if (bytesRead === awaited.bytes && request.readableLength === 0) {
      return now - awaited.since > this.#times.idleMs;
    }
    awaited.bytes = bytesRead;
    awaited.since = now;
    return false;
  }
}

/** Sends the reason, unless an answer has begun. */
function cut({ socket }: IncomingMessage, { headersSent }: ServerResponse): void {
  if (socket.writable && !headersSent) socket.write(timedOut);
  socket.destroySoon();
}
