import type { Turns } from "../../admission/turns.ts";
import type { MachineClocks } from "../../clock/backend-clock.ts";
import { SnapshotTooOldError } from "../../engine/model/errors.ts";
import type { Engine, Timestamp } from "../../engine/model/types.ts";
import type { FunctionCall } from "../../runtime/contract/function-runner.ts";
import type { RequestSource } from "../../wire/request-source.ts";
import type { KnownResult } from "../protocol/known-result.ts";
import type { ClientMessage } from "../protocol/protocol.ts";
import type { QueryId, ServerMessage, StateVersion } from "../protocol/server-messages.ts";
import type { LiveQueries } from "../queries/live-queries.ts";
import { QuerySet } from "../queries/query-set.ts";
import { nextTransition, type QuerySetChanges } from "../queries/transition.ts";
import type { SessionCaller } from "./session-caller.ts";
import type { SessionSocket } from "./session-socket.ts";

export type QueryDeps = {
  readonly engine: Engine;
  readonly live: LiveQueries;
  /** Called with each query that a client begins to watch. */
  readonly onWatch?: (query: WatchedQuery, source: RequestSource) => void;
  /** The connection's source. */
  readonly source: RequestSource;
  readonly turns: Turns;
  /** The machine's: clients compare the time with that of users' tokens. */
  readonly clocks: MachineClocks;
};

type WatchedQuery = Pick<FunctionCall, "path" | "component" | "args" | "identity">;

type QueriesOptions = {
  readonly socket: SessionSocket;
  readonly caller: SessionCaller;
  /** The client's clock when it connected, minus ours, in ms; null if it is not known. */
  readonly clockSkew: number | null;
  /** Called when a transition that covers a mutation was handed to the socket. */
  readonly onCovered: (requestId: number) => void;
};

/** A mutation that has succeeded and is not yet covered by a transition. */
type Uncovered = { readonly requestId: number; readonly answer: ServerMessage; readonly sent: () => void };

/** A session's watched queries, and the transitions that tell the client their results. */
export class SessionQueries {
  readonly #deps: QueryDeps;
  readonly #options: QueriesOptions;
  readonly #queries: QuerySet;
  /** The requested version. The client stays at `#at` until a transition. */
  #querySet = 0;
  #at: StateVersion = { querySet: 0, identity: 0, ts: 0n };
  readonly #known = new Map<QueryId, KnownResult>();
  #uncovered: readonly Uncovered[] = [];
  #answering: Promise<unknown> = Promise.resolve();
  #busy = false;
  #stale = false;
  #closed = false;

  constructor(deps: QueryDeps, options: QueriesOptions) {
    this.#deps = deps;
    this.#options = options;
    const { socket } = options;
    this.#queries = new QuerySet({
      live: {
        watch: (query, onInvalidated) => {
          deps.onWatch?.(query, deps.source);
          return deps.live.watch(query, onInvalidated);
        },
      },
      turns: deps.turns,
      maxBytes: socket.maxWatchedBytes,
      onBytes: socket.watched,
      onRefused: socket.queryRefused,
      onInvalidated: () => {
        this.#schedule();
      },
    });
  }

  /** The identity version that the client knows. */
  get identityVersion(): number {
    return this.#at.identity;
  }

  modify(message: ClientMessage & { type: "ModifyQuerySet" }): void {
    const { socket, caller } = this.#options;
    const querySet = this.#querySet;
    if (message.baseVersion !== querySet || message.newVersion <= querySet) {
      socket.refuse(`ModifyQuerySet on version ${String(message.baseVersion)}, not ${String(querySet)}`);
      return;
    }
    const modified = this.#queries.modify(message.modifications, caller.identity);
    if (modified.kind === "refused") {
      socket.refuse(modified.reason);
      return;
    }
    this.#querySet = message.newVersion;
    this.#schedule();
  }

  /** Watches the queries again as the caller's new identity. */
  reidentify(): void {
    this.#queries.reidentify(this.#options.caller.identity);
    this.#schedule();
  }

  /**
   * Sends a mutation's answer with the next transition, which covers it. Clients use the answer only after that transition,
   * and one write costs half of two.
   */
  mutated(requestId: number, answer: ServerMessage): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.#uncovered = [...this.#uncovered, { requestId, answer, sent: resolve }];
    });
    this.#answering = Promise.all([this.#answering, answered]);
    this.#schedule();
    return answered;
  }

  /** Resolves when the answers of all mutations were sent. */
  async answered(): Promise<void> {
    await this.#answering;
  }

  /** Stops watching. */
  close(): void {
    this.#closed = true;
    this.#queries.release();
    for (const { sent } of this.#uncovered) sent();
  }

  /**
   * Rounds begin in a turn of their own, so that sessions woken by one commit choose the same timestamp and share
   * query runs.
   */
  #schedule(): void {
    this.#stale = true;
    if (this.#busy || this.#closed) return;
    this.#busy = true;
    setImmediate(() => {
      this.#rounds().catch((error: unknown) => {
        this.#options.socket.fail(error);
      });
    });
  }

  async #rounds(): Promise<void> {
    while (this.#stale && !this.#closed) {
      this.#stale = false;
      await this.#oneRound().catch((error: unknown) => {
        // Meanwhile a deploy or an import has made a newer state the only snapshot.
        if (!(error instanceof SnapshotTooOldError)) throw error;
        this.#stale = true;
      });
    }
    this.#busy = false;
  }

  async #oneRound(): Promise<void> {
    const { caller, clockSkew, onCovered } = this.#options;
    if (caller.expired) {
      // While a new token is being verified, that result decides.
      if (!caller.verifying) caller.refuseExpired(this.#at.identity);
      await this.#answer(this.#uncovered, []);
      return;
    }
    const ts = this.#deps.engine.durable();
    const to: StateVersion = { querySet: this.#querySet, identity: caller.version, ts };
    const uncovered = this.#uncovered;
    const changes = await this.#changesAt(ts);
    if (this.#closed) return;
    const mutationWaits = uncovered.length > 0;
    const message = nextTransition({ ...changes, from: this.#at, known: this.#known, to, mutationWaits });
    for (const queryId of changes.removed) this.#known.delete(queryId);
    for (const [queryId, result] of changes.results) this.#known.set(queryId, result);
    if (message === null) return;
    this.#at = to;
    this.#queries.sent(changes.results);
    const transition = {
      ...message,
      ...(clockSkew === null ? {} : { clientClockSkew: clockSkew }),
      serverTs: this.#deps.clocks.wall() * 1e6,
    };
    const sent = this.#answer(uncovered, [transition]);
    for (const { requestId } of uncovered) onCovered(requestId);
    await sent;
  }

  /** Sends the answers of the oldest mutations, and then the transition that covers them, if there is one. */
  async #answer(mutations: readonly Uncovered[], transition: readonly ServerMessage[]): Promise<void> {
    this.#uncovered = this.#uncovered.slice(mutations.length);
    await this.#options.socket.send(...mutations.map(({ answer }) => answer).concat(transition));
    mutations.forEach(({ sent }) => sent());
  }

  /** An uncommitted transaction retains the snapshot until the slowest query has run. */
  async #changesAt(ts: Timestamp): Promise<QuerySetChanges> {
    const pin = this.#deps.engine.begin({ snapshot: ts });
    try {
      return await this.#queries.changesAt(ts);
    } finally {
      this.#deps.engine.discard(pin);
    }
  }
}
