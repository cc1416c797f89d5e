import type { Authenticators } from "../../auth/authorization.ts";
import type { Log } from "../../operations/log.ts";
import { assertNever } from "../../values/assert-never.ts";
import type {
  AuthenticateMessage,
  ClientMessage,
  ConnectMessage,
  RequestMessage,
} from "../protocol/protocol.ts";
import { Acknowledgments } from "./acknowledgments.ts";
import { SessionCaller } from "./session-caller.ts";
import { type CallDeps, SessionCalls } from "./session-calls.ts";
import { type QueryDeps, SessionQueries } from "./session-queries.ts";
import { type NewestConnections, SessionRecords } from "./session-records.ts";
import type { SessionSocket } from "./session-socket.ts";

export type SessionDeps = Authenticators &
  CallDeps &
  QueryDeps & { readonly log: Log; readonly newestConnections: NewestConnections };

/** A received message, and a callback for when it is no longer kept. */
type Received = { readonly message: ClientMessage; readonly done: () => void };

/** A client session on one connection; the connection's first message starts it. */
export class Session {
  readonly #socket: SessionSocket;
  readonly #caller: SessionCaller;
  readonly #calls: SessionCalls;
  readonly #queries: SessionQueries;
  readonly acknowledgments = new Acknowledgments();
  /** Messages received while a token is verified. */
  readonly #waiting: Received[] = [];
  #closed = false;

  constructor(deps: SessionDeps, socket: SessionSocket, { sessionId, clientTs }: ConnectMessage) {
    this.#socket = socket;
    this.#caller = new SessionCaller(deps, {
      socket,
      isClosed: () => this.#closed,
      close: () => {
        this.close();
      },
    });
    this.#queries = new SessionQueries(deps, {
      socket,
      caller: this.#caller,
      clockSkew: clientTs === undefined ? null : clientTs - deps.clocks.wall(),
      onCovered: (requestId) => this.acknowledgments.covered(requestId),
    });
    this.#calls = new SessionCalls(deps, {
      sessionId,
      records: new SessionRecords(deps.engine, deps.newestConnections, sessionId),
      socket,
      acknowledgedThrough: () => this.acknowledgments.through(deps.clocks.steady()),
      onMutated: (requestId, answer) => this.#queries.mutated(requestId, answer),
    });
  }

  /** Whether the client has shown a user's token or the admin key. */
  get isVerified(): boolean {
    return this.#caller.identity.kind !== "none";
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
        this.#queries.modify(message);
        return;
      default:
        assertNever(message);
    }
  }

  /** Starts nothing more. Resolves when running calls are answered. */
  async drain(): Promise<void> {
    await this.#calls.drain();
    await this.#queries.answered();
  }

  /** Stops watching. A running mutation finishes, and is answered when it is sent again. */
  close(): void {
    this.#closed = true;
    this.#queries.close();
    for (const { done } of this.#waiting.splice(0)) done();
    this.#calls.close();
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
    this.#queries.reidentify();
    while (!this.#caller.verifying) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.receive(next.message, next.done);
    }
  }

  #request(message: RequestMessage, done: () => void): void {
    if (this.#calls.draining) return;
    if (this.#caller.expired) this.#caller.refuseExpired(this.#queries.identityVersion);
    else this.#calls.call(message, this.#caller.identity, done);
  }
}
