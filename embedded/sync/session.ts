import type { Engine, Timestamp } from "../engine/types.ts";
import type { FunctionRunner, Identity } from "../runtime/types.ts";
import { BAD_DEPLOY_KEY, NO_AUTH_PROVIDER } from "../http/authorization.ts";
import type { AdminKeyCheck } from "../http/admin-key.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import { assertNever } from "../assert-never.ts";
import type { LiveQueries } from "./live-queries.ts";
import type { MutationLanes } from "./mutation-lanes.ts";
import type { AuthenticateMessage, ClientMessage, ConnectMessage, RequestMessage } from "./protocol.ts";
import { QuerySet } from "./query-set.ts";
import {
  actionResponse,
  mutationResponse,
  type ServerMessage,
  type StateVersion,
} from "./server-messages.ts";
import { nextTransition, type KnownResults } from "./transition.ts";

/** Requests of one connection that wait or run: a client that floods is dropped, not queued for. */
export const MAX_PENDING_REQUESTS = 2_000;

export type SessionDeps = {
  readonly engine: Engine;
  readonly runner: FunctionRunner;
  readonly live: LiveQueries;
  readonly lanes: MutationLanes;
  readonly isAdminKey: AdminKeyCheck;
  readonly nextRequestId: () => string;
  readonly now: () => number;
};

/** Where a session's messages go. */
export type SessionSocket = {
  /** Resolves when the message was handed to the network: the next transition waits for that. */
  readonly send: (message: ServerMessage) => Promise<void>;
  /** The client did what the protocol forbids: it must not come back with the same. */
  readonly refuse: (reason: string) => void;
  /** We failed: the client reconnects and asks again. */
  readonly fail: (error: unknown) => void;
};

/** The first message of a connection has made it one of a client session. */
export class Session {
  readonly #deps: SessionDeps;
  readonly #socket: SessionSocket;
  readonly #connect: ConnectMessage;
  readonly #clockSkew: number | null;
  readonly #queries: QuerySet;
  readonly acknowledgements = new Acknowledgements();

  #identity: Identity = { kind: "none" };
  /** What was asked for; the client is at `#at` until a transition takes it there. */
  #wanted = { querySet: 0, identity: 0 };
  #at: StateVersion = { querySet: 0, identity: 0, ts: 0n };
  #held: KnownResults = new Map();
  /** Answered mutations whose timestamp no transition has covered yet. */
  #uncovered: readonly number[] = [];
  #pending = 0;
  #busy = false;
  #stale = false;
  #closed = false;

  constructor(deps: SessionDeps, socket: SessionSocket, connect: ConnectMessage) {
    this.#deps = deps;
    this.#socket = socket;
    this.#connect = connect;
    this.#clockSkew = connect.clientTs === undefined ? null : deps.now() - connect.clientTs;
    this.#queries = new QuerySet(deps.live, () => {
      this.#schedule();
    });
  }

  get id(): string {
    return this.#connect.sessionId;
  }

  receive(message: ClientMessage): void {
    switch (message.type) {
      case "Connect":
        this.#socket.refuse("Connect was sent twice");
        return;
      case "Event":
        return;
      case "Authenticate":
        this.#authenticate(message);
        return;
      case "ModifyQuerySet":
        this.#modifyQuerySet(message);
        return;
      case "Mutation":
      case "Action":
        this.#request(message);
        return;
      default:
        assertNever(message);
    }
  }

  /** Stops watching. A mutation that runs is finished, and answered to whoever sends it again. */
  close(): void {
    this.#closed = true;
    this.#queries.release();
  }

  #authenticate(message: AuthenticateMessage): void {
    // A client that gave up on a refused token has counted further than we have: that is no error.
    if (message.baseVersion < this.#wanted.identity) {
      this.#socket.refuse(`Authenticate on identity version ${String(message.baseVersion)}`);
      return;
    }
    switch (message.tokenType) {
      case "User":
        this.#refuseIdentity(NO_AUTH_PROVIDER.message, message);
        return;
      case "Admin":
        if (this.#deps.isAdminKey(message.value)) {
          const actingAs = message.impersonating ?? null;
          this.#become(actingAs === null ? { kind: "admin" } : { kind: "admin", actingAs }, message);
        } else this.#refuseIdentity(BAD_DEPLOY_KEY.message, message);
        return;
      case "None":
        this.#become({ kind: "none" }, message);
        return;
      default:
        assertNever(message);
    }
  }

  #become(identity: Identity, { baseVersion }: AuthenticateMessage): void {
    this.#identity = identity;
    this.#wanted = { ...this.#wanted, identity: baseVersion + 1 };
    this.#queries.reidentify(identity);
    this.#schedule();
  }

  /** The identity and its version stay what they were. */
  #refuseIdentity(error: string, { baseVersion }: AuthenticateMessage): void {
    void this.#socket.send({ type: "AuthError", error, baseVersion, authUpdateAttempted: true });
  }

  #modifyQuerySet(message: ClientMessage & { type: "ModifyQuerySet" }): void {
    const { querySet } = this.#wanted;
    if (message.baseVersion !== querySet || message.newVersion <= querySet) {
      this.#socket.refuse(
        `ModifyQuerySet on version ${String(message.baseVersion)}, not ${String(querySet)}`,
      );
      return;
    }
    const modified = this.#queries.modify(message.modifications, this.#identity);
    if (modified.kind === "refused") {
      this.#socket.refuse(modified.reason);
      return;
    }
    this.#wanted = { ...this.#wanted, querySet: message.newVersion };
    this.#schedule();
  }

  #request(message: RequestMessage): void {
    if (this.#pending >= MAX_PENDING_REQUESTS) {
      this.#socket.fail(new Error("TooManyConcurrentRequests"));
      return;
    }
    this.#pending++;
    const identity = this.#identity;
    const run = async (): Promise<void> => {
      try {
        await (message.type === "Mutation" ? this.#mutate(message, identity) : this.#act(message, identity));
      } catch (error) {
        this.#socket.fail(error);
      } finally {
        this.#pending--;
      }
    };
    if (message.type === "Mutation") this.#deps.lanes.enqueue(this.id, run, () => this.#closed);
    else void run();
  }

  async #mutate(message: RequestMessage, identity: Identity): Promise<void> {
    const { requestId } = message;
    const run = await this.#deps.runner.runMutation({
      ...this.#call(message, identity),
      session: {
        sessionId: this.id,
        requestId,
        acknowledgedThrough: this.acknowledgements.through(this.#deps.now()),
      },
    });
    if (this.#closed) return;
    void this.#socket.send(mutationResponse(requestId, run, run.ts));
    if (run.outcome.kind === "failure") return;
    this.#uncovered = [...this.#uncovered, requestId];
    this.#schedule();
  }

  async #act(message: RequestMessage, identity: Identity): Promise<void> {
    const run = await this.#deps.runner.runAction(this.#call(message, identity));
    if (!this.#closed) void this.#socket.send(actionResponse(message.requestId, run));
  }

  #call(message: RequestMessage, identity: Identity) {
    return { path: message.udfPath, args: message.args, identity, requestId: this.#deps.nextRequestId() };
  }

  /**
   * Rounds begin in a turn of their own: sessions that one commit woke then choose the same timestamp,
   * and share the runs at it.
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
    const to: StateVersion = { ...this.#wanted, ts: this.#deps.engine.durable() };
    const uncovered = this.#uncovered;
    const results = await this.#resultsAt(to.ts);
    if (this.#closed) return;
    const mutationWaits = uncovered.length > 0;
    const message = nextTransition({ from: this.#at, held: this.#held, to, results, mutationWaits });
    this.#held = results;
    if (message === null) return;
    this.#at = to;
    this.#uncovered = this.#uncovered.slice(uncovered.length);
    this.#queries.sent(results);
    const sent = this.#socket.send({
      ...message,
      ...(this.#clockSkew === null ? {} : { clientClockSkew: this.#clockSkew }),
      serverTs: this.#deps.now() * 1e6,
    });
    for (const requestId of uncovered) this.acknowledgements.covered(requestId);
    await sent;
  }

  /** A transaction that is never committed keeps the snapshot until the slowest query has run on it. */
  async #resultsAt(ts: Timestamp): Promise<KnownResults> {
    const pin = this.#deps.engine.begin({ snapshot: ts });
    try {
      return await this.#queries.resultsAt(ts);
    } finally {
      this.#deps.engine.discard(pin);
    }
  }
}
