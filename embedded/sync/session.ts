import { APP } from "../values/table-name.ts";
import type { Engine, Timestamp } from "../engine/types.ts";
import type { FunctionRunner, Identity, RequestSource } from "../runtime/types.ts";
import type { Authenticators } from "../http/authorization.ts";
import type { Log } from "../operations/log.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import { assertNever } from "../assert-never.ts";
import type { LiveQueries } from "./live-queries.ts";
import type { MutationLanes } from "./mutation-lanes.ts";
import type { AuthenticateMessage, ClientMessage, ConnectMessage, RequestMessage } from "./protocol.ts";
import { QuerySet } from "./query-set.ts";
import {
  actionResponse,
  mutationResponse,
  type AuthErrorMessage,
  type ServerMessage,
  type StateVersion,
} from "./server-messages.ts";
import { hasExpired, identify, NOBODY, type SessionIdentity } from "./session-identity.ts";
import { nextTransition, type KnownResults } from "./transition.ts";

/** Requests of one connection that wait or run: a client that floods is dropped, not queued for. */
export const MAX_PENDING_REQUESTS = 2_000;

const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

export type SessionDeps = Authenticators & {
  readonly log: Log;
  readonly engine: Engine;
  readonly runner: FunctionRunner;
  readonly live: LiveQueries;
  readonly lanes: MutationLanes;
  readonly nextRequestId: () => string;
  /** Where the connection came from. */
  readonly source: RequestSource;
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
  /** Nothing more comes after what was sent; the client may come back. */
  readonly hangUp: (code: number, reason: string) => void;
};

/** The first message of a connection has made it one of a client session. */
export class Session {
  readonly #deps: SessionDeps;
  readonly #socket: SessionSocket;
  readonly #connect: ConnectMessage;
  readonly #clockSkew: number | null;
  readonly #queries: QuerySet;
  readonly acknowledgements = new Acknowledgements();

  #caller: SessionIdentity = NOBODY;
  /** While a token is verified, what came after it waits: it is meant for the new identity. */
  #verifying = false;
  readonly #waiting: ClientMessage[] = [];
  /** What was asked for; the client is at `#at` until a transition takes it there. */
  #wanted = { querySet: 0, identity: 0 };
  #at: StateVersion = { querySet: 0, identity: 0, ts: 0n };
  #held: KnownResults = new Map();
  /** Answered mutations whose timestamp no transition has covered yet. */
  #uncovered: readonly number[] = [];
  #pending = 0;
  /** What of it runs already: what is still queued runs when the client sends it again. */
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
    this.#queries = new QuerySet(deps.live, () => {
      this.#schedule();
    });
  }

  get id(): string {
    return this.#connect.sessionId;
  }

  receive(message: ClientMessage): void {
    if (this.#closed) return;
    if (!this.#verifying) this.#handle(message);
    else if (this.#waiting.length < MAX_PENDING_REQUESTS) this.#waiting.push(message);
    else this.#socket.fail(new Error("TooManyConcurrentRequests"));
  }

  #handle(message: ClientMessage): void {
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
      case "Mutation":
      case "Action":
        this.#request(message);
        return;
      default:
        assertNever(message);
    }
  }

  /** Begins nothing more. Resolves when what runs has been answered. */
  async drain(): Promise<void> {
    this.#draining = true;
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Stops watching. A mutation that runs is finished, and answered to whoever sends it again. */
  close(): void {
    this.#closed = true;
    this.#queries.release();
  }

  async #authenticate(message: AuthenticateMessage): Promise<void> {
    const { baseVersion } = message;
    if (baseVersion !== this.#wanted.identity) {
      this.#socket.refuse(`Authenticate on identity version ${String(baseVersion)}`);
      return;
    }
    this.#verifying = true;
    const identified = await identify(message, this.#deps);
    this.#verifying = false;
    if (this.#closed) return;
    switch (identified.kind) {
      case "ok":
        this.#become(identified.as);
        break;
      case "refused":
        this.#refuseIdentity({ error: identified.message, baseVersion, authUpdateAttempted: true });
        return;
      case "unavailable":
        // No AuthError: after a few of those the client would log its user out.
        this.#deps.log.warn("auth.unavailable", { message: identified.message });
        this.#leave(TRY_AGAIN_LATER, identified.code);
        return;
      default:
        assertNever(identified);
    }
    while (!this.#verifying) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.receive(next);
    }
  }

  #become(caller: SessionIdentity): void {
    this.#caller = caller;
    this.#wanted = { ...this.#wanted, identity: this.#wanted.identity + 1 };
    this.#queries.reidentify(caller.identity);
    this.#schedule();
  }

  /**
   * As Convex does it, the connection ends with the refusal: nothing that was sent after the token may run as
   * anybody else. The client comes back with another token, or as nobody.
   */
  #refuseIdentity(why: Omit<AuthErrorMessage, "type">): void {
    void this.#socket.send({ type: "AuthError", ...why });
    this.#leave(POLICY_VIOLATION, "Unauthenticated");
  }

  #leave(code: number, reason: string): void {
    this.close();
    this.#socket.hangUp(code, reason);
  }

  /** Nothing happens at the moment of expiry: it counts once something runs. */
  #refuseExpired(): void {
    this.#refuseIdentity({
      error: "Convex token identity expired",
      baseVersion: this.#at.identity,
      authUpdateAttempted: false,
    });
  }

  #modifyQuerySet(message: ClientMessage & { type: "ModifyQuerySet" }): void {
    const { querySet } = this.#wanted;
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
    this.#wanted = { ...this.#wanted, querySet: message.newVersion };
    this.#schedule();
  }

  #request(message: RequestMessage): void {
    if (this.#draining) return;
    if (this.#pending >= MAX_PENDING_REQUESTS) {
      this.#socket.fail(new Error("TooManyConcurrentRequests"));
      return;
    }
    if (hasExpired(this.#caller, this.#deps.now())) {
      this.#refuseExpired();
      return;
    }
    this.#pending++;
    const { identity } = this.#caller;
    const run = async (): Promise<void> => {
      try {
        await (message.type === "Mutation" ? this.#mutate(message, identity) : this.#act(message, identity));
      } catch (error) {
        this.#socket.fail(error);
      } finally {
        this.#pending--;
      }
    };
    const begin = (): Promise<void> => {
      const running = run();
      this.#running.add(running);
      return running.finally(() => this.#running.delete(running));
    };
    if (message.type === "Mutation") {
      this.#deps.lanes.enqueue(this.id, begin, () => this.#closed || this.#draining);
    } else void begin();
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
    const { udfPath: path, componentPath: component = APP, args } = message;
    const { nextRequestId, source } = this.#deps;
    return { path, component, args, identity, requestId: nextRequestId(), source };
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
    if (hasExpired(this.#caller, this.#deps.now())) {
      // While a new token is verified, its verdict decides.
      if (!this.#verifying) this.#refuseExpired();
      return;
    }
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
