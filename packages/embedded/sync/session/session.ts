import { maxRunningActions } from "../../admission/anonymous-limits.ts";
import type { Turns } from "../../admission/turns.ts";
import type { Authenticators } from "../../auth/authorization.ts";
import type { Engine, Timestamp } from "../../engine/model/types.ts";
import { appComponent } from "../../names/table-name.ts";
import type { Log } from "../../operations/log.ts";
import type { FunctionRunner, Identity } from "../../runtime/contract/function-runner.ts";
import { assertNever } from "../../values/assert-never.ts";
import type { RequestSource } from "../../wire/request-source.ts";
import type { KnownResult } from "../protocol/known-result.ts";
import type {
  AuthenticateMessage,
  ClientMessage,
  ConnectMessage,
  RequestMessage,
} from "../protocol/protocol.ts";
import {
  actionResponse,
  mutationResponse,
  type QueryId,
  type StateVersion,
} from "../protocol/server-messages.ts";
import type { LiveQueries } from "../queries/live-queries.ts";
import { QuerySet } from "../queries/query-set.ts";
import { nextTransition, type QuerySetChanges } from "../queries/transition.ts";
import { Acknowledgments } from "./acknowledgments.ts";
import type { MutationQueues } from "./mutation-queues.ts";
import { SessionCaller } from "./session-caller.ts";
import type { SessionSocket } from "./session-socket.ts";

export type SessionDeps = Authenticators & {
  readonly log: Log;
  readonly engine: Engine;
  readonly runner: FunctionRunner;
  readonly live: LiveQueries;
  readonly mutationQueues: MutationQueues;
  readonly turns: Turns;
  readonly nextRequestId: () => string;
  /** The connection's source. */
  readonly source: RequestSource;
  readonly now: () => number;
};

/** A received message, and a callback for when it is no longer kept. */
type Received = { readonly message: ClientMessage; readonly done: () => void };

/** Resolves when the answer was handed to the network. */
type Answered = { readonly sent: Promise<void> };
const notSent: Answered = { sent: Promise.resolve() };

/** A client session on one connection; the connection's first message starts it. */
export class Session {
  readonly #deps: SessionDeps;
  readonly #socket: SessionSocket;
  readonly #connect: ConnectMessage;
  readonly #clockSkew: number | null;
  readonly #queries: QuerySet;
  readonly acknowledgments = new Acknowledgments();

  readonly #caller: SessionCaller;
  /** Messages received while a token is verified. */
  readonly #waiting: Received[] = [];
  /** The requested version. The client stays at `#at` until a transition. */
  #querySet = 0;
  #at: StateVersion = { querySet: 0, identity: 0, ts: 0n };
  readonly #known = new Map<QueryId, KnownResult>();
  /** Answered mutations not yet covered by a transition. */
  #uncovered: readonly number[] = [];
  #runningActions = 0;
  readonly #waitingActions: { readonly begin: () => Promise<void>; readonly done: () => void }[] = [];
  /** Running calls. Queued ones run when the client resends them. */
  readonly #running = new Set<Promise<void>>();
  #draining = false;
  #busy = false;
  #stale = false;
  #closed = false;

  constructor(deps: SessionDeps, socket: SessionSocket, connect: ConnectMessage) {
    this.#deps = deps;
    this.#socket = socket;
    this.#connect = connect;
    this.#clockSkew = connect.clientTs === undefined ? null : connect.clientTs - deps.now();
    this.#caller = new SessionCaller(deps, {
      socket,
      isClosed: () => this.#closed,
      close: () => {
        this.close();
      },
    });
    this.#queries = new QuerySet({
      live: deps.live,
      turns: deps.turns,
      maxBytes: socket.maxWatchedBytes,
      onBytes: socket.watched,
      onRefused: socket.queryRefused,
      onInvalidated: () => {
        this.#schedule();
      },
    });
  }

  /** Whether the client has shown a user's token or the admin key. */
  get isVerified(): boolean {
    return this.#caller.identity.kind !== "none";
  }

  get id(): string {
    return this.#connect.sessionId;
  }

  /** @param done called once, when nothing of the message is kept anymore. */
  receive(message: ClientMessage, done: () => void): void {
    if (this.#closed) done();
    else if (!this.#caller.verifying) this.#handle({ message, done });
    else this.#waiting.push({ message, done });
  }

  #handle({ message, done }: Received): void {
    if (message.type === "Mutation" || message.type === "Action") {
      this.#request(message, done);
      return;
    }
    done();
    switch (message.type) {
      case "Connect":
        this.#socket.refuse("Connect was sent twice");
        return;
      case "Event":
        return;
      case "Authenticate":
        this.#authenticate(message).catch((error: unknown) => {
          this.#socket.fail(error);
        });
        return;
      case "ModifyQuerySet":
        this.#modifyQuerySet(message);
        return;
      default:
        assertNever(message);
    }
  }

  /** Starts nothing more. Resolves when running calls are answered. */
  async drain(): Promise<void> {
    this.#draining = true;
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Stops watching. A running mutation finishes, and is answered when it is sent again. */
  close(): void {
    this.#closed = true;
    this.#queries.release();
    for (const { done } of [...this.#waiting.splice(0), ...this.#waitingActions.splice(0)]) done();
  }

  async #authenticate(message: AuthenticateMessage): Promise<void> {
    // The limits of what comes next depend on the identity.
    const resumeReading = this.#socket.pauseReading();
    try {
      if (!(await this.#caller.authenticate(message))) return;
      this.#identified();
    } finally {
      resumeReading();
    }
  }

  #identified(): void {
    this.#queries.reidentify(this.#caller.identity);
    this.#schedule();
    while (!this.#caller.verifying) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.receive(next.message, next.done);
    }
  }

  #modifyQuerySet(message: ClientMessage & { type: "ModifyQuerySet" }): void {
    const querySet = this.#querySet;
    if (message.baseVersion !== querySet || message.newVersion <= querySet) {
      this.#socket.refuse(
        `ModifyQuerySet on version ${String(message.baseVersion)}, not ${String(querySet)}`,
      );
      return;
    }
    const modified = this.#queries.modify(message.modifications, this.#caller.identity);
    if (modified.kind === "refused") {
      this.#socket.refuse(modified.reason);
      return;
    }
    this.#querySet = message.newVersion;
    this.#schedule();
  }

  #request(message: RequestMessage, done: () => void): void {
    if (this.#draining) return;
    if (this.#caller.expired) {
      this.#caller.refuseExpired(this.#at.identity);
      return;
    }
    const { identity } = this.#caller;
    const run = async (): Promise<void> => {
      try {
        await this.#deps.turns.turn();
        const answer = message.type === "Mutation" ? this.#mutate : this.#act;
        const { sent } = await answer.call(this, message, identity);
        // A client that reads no answers shall send no more calls.
        void sent.then(done);
      } catch (error) {
        this.#socket.fail(error);
        done();
      }
    };
    const begin = (): Promise<void> => {
      const running = run();
      this.#running.add(running);
      return running.finally(() => this.#running.delete(running));
    };
    if (message.type === "Mutation") {
      this.#deps.mutationQueues.enqueue(this.id, begin, () => {
        const isCanceled = this.#closed || this.#draining;
        if (isCanceled) done();
        return isCanceled;
      });
    } else if (this.isVerified || this.#runningActions < maxRunningActions) void this.#runAction(begin);
    else this.#waitingActions.push({ begin, done });
  }

  async #runAction(begin: () => Promise<void>): Promise<void> {
    this.#runningActions += 1;
    await begin();
    this.#runningActions -= 1;
    const next = this.#closed || this.#draining ? undefined : this.#waitingActions.shift();
    if (next !== undefined) void this.#runAction(next.begin);
  }

  async #mutate(message: RequestMessage, identity: Identity): Promise<Answered> {
    const { requestId } = message;
    const run = await this.#deps.runner.runMutation({
      ...this.#call(message, identity),
      session: {
        sessionId: this.id,
        requestId,
        acknowledgedThrough: this.acknowledgments.through(this.#deps.now()),
      },
    });
    if (this.#closed) return notSent;
    const sent = this.#socket.send(mutationResponse(requestId, run, run.ts));
    if (run.outcome.kind === "failure") return { sent };
    this.#uncovered = [...this.#uncovered, requestId];
    this.#schedule();
    return { sent };
  }

  async #act(message: RequestMessage, identity: Identity): Promise<Answered> {
    const run = await this.#deps.runner.runAction(this.#call(message, identity));
    return this.#closed ? notSent : { sent: this.#socket.send(actionResponse(message.requestId, run)) };
  }

  #call(message: RequestMessage, identity: Identity) {
    const { udfPath: path, componentPath: component = appComponent, args } = message;
    const { nextRequestId, source } = this.#deps;
    return { path, component, args, identity, requestId: nextRequestId(), source };
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
        this.#socket.fail(error);
      });
    });
  }

  async #rounds(): Promise<void> {
    while (this.#stale && !this.#closed) {
      this.#stale = false;
      await this.#oneRound();
    }
    this.#busy = false;
  }

  async #oneRound(): Promise<void> {
    if (this.#caller.expired) {
      // While a new token is being verified, that result decides.
      if (!this.#caller.verifying) this.#caller.refuseExpired(this.#at.identity);
      return;
    }
    const ts = this.#deps.engine.durable();
    const to: StateVersion = { querySet: this.#querySet, identity: this.#caller.version, ts };
    const uncovered = this.#uncovered;
    const changes = await this.#changesAt(ts);
    if (this.#closed) return;
    const mutationWaits = uncovered.length > 0;
    const message = nextTransition({ ...changes, from: this.#at, known: this.#known, to, mutationWaits });
    for (const queryId of changes.removed) this.#known.delete(queryId);
    for (const [queryId, result] of changes.results) this.#known.set(queryId, result);
    if (message === null) return;
    this.#at = to;
    this.#uncovered = this.#uncovered.slice(uncovered.length);
    this.#queries.sent(changes.results);
    const sent = this.#socket.send({
      ...message,
      ...(this.#clockSkew === null ? {} : { clientClockSkew: this.#clockSkew }),
      serverTs: this.#deps.now() * 1e6,
    });
    for (const requestId of uncovered) this.acknowledgments.covered(requestId);
    await sent;
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
