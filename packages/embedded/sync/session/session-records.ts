import type { Engine } from "../../engine/model/types.ts";
import { newestRecord } from "../../runtime/tables/session-requests.ts";

/** Less than every request id. */
const none = -1;

/** The connections that sessions use now, by session id. */
export type NewestConnections = Map<string, SessionRecords>;

/**
 * Tells for one connection of a session which mutations may have a record. A client sends a mutation again only over a new
 * connection, so most mutations are new and need no look for a record.
 */
export class SessionRecords {
  readonly #engine: Engine;
  readonly #connections: NewestConnections;
  readonly #sessionId: string;
  /** The newest recorded mutation of earlier connections. Null: not read yet. */
  #earlier: number | null = null;
  #deletedThrough = none;

  constructor(engine: Engine, connections: NewestConnections, sessionId: string) {
    this.#engine = engine;
    this.#connections = connections;
    this.#sessionId = sessionId;
    connections.set(sessionId, this);
  }

  /**
   * Whether a mutation certainly has no record. Call it when no other mutation of the session runs. What arrives over an old
   * connection while there is a newer one may have been sent over both.
   */
  isNew(requestId: number): boolean {
    const newest = this.#connections.get(this.#sessionId);
    if (newest !== this) {
      // The newest connection has to read the records again, because this mutation will be one of them.
      if (newest !== undefined) newest.#earlier = null;
      return false;
    }
    this.#earlier ??= this.#newestRecord();
    return requestId > this.#earlier;
  }

  /** `through` if records up to it may be left, otherwise null. */
  deletable(through: number): number | null {
    return through > this.#deletedThrough ? through : null;
  }

  /** Call it when the records up to a mutation were deleted. */
  deleted(through: number): void {
    this.#deletedThrough = Math.max(this.#deletedThrough, through);
  }

  close(): void {
    if (this.#connections.get(this.#sessionId) === this) this.#connections.delete(this.#sessionId);
  }

  #newestRecord(): number {
    const transaction = this.#engine.begin();
    try {
      return newestRecord(transaction, this.#sessionId) ?? none;
    } finally {
      this.#engine.discard(transaction);
    }
  }
}
