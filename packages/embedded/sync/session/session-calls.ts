import { maxRunningActions } from "../../admission/anonymous-limits.ts";
import type { Turns } from "../../admission/turns.ts";
import { appComponent } from "../../names/table-name.ts";
import type { FunctionRunner, Identity } from "../../runtime/contract/function-runner.ts";
import type { RequestSource } from "../../wire/request-source.ts";
import type { RequestMessage } from "../protocol/protocol.ts";
import { actionResponse, mutationResponse, type ServerMessage } from "../protocol/server-messages.ts";
import type { MutationQueues } from "./mutation-queues.ts";
import type { SessionRecords } from "./session-records.ts";
import type { SessionSocket } from "./session-socket.ts";

export type CallDeps = {
  readonly runner: FunctionRunner;
  readonly mutationQueues: MutationQueues;
  readonly turns: Turns;
  readonly nextRequestId: () => string;
  /** The connection's source. */
  readonly source: RequestSource;
};

type CallsOptions = {
  readonly sessionId: string;
  readonly records: SessionRecords;
  readonly socket: SessionSocket;
  /** The newest mutation that is certain not to be sent again. */
  readonly acknowledgedThrough: () => number;
  /** Sends the answer of a mutation that has succeeded, together with the transition that covers it. */
  readonly onMutated: (requestId: number, answer: ServerMessage) => Promise<void>;
};

/** Resolves when the answer was handed to the network. */
type Answered = { readonly sent: Promise<void> };
const notSent: Answered = { sent: Promise.resolve() };

/** A session's calls of mutations and actions. */
export class SessionCalls {
  readonly #deps: CallDeps;
  readonly #options: CallsOptions;
  #runningActions = 0;
  readonly #waitingActions: { readonly begin: () => Promise<void>; readonly done: () => void }[] = [];
  /** Running calls. Queued ones run when the client resends them. */
  readonly #running = new Set<Promise<void>>();
  #draining = false;
  #closed = false;

  constructor(deps: CallDeps, options: CallsOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** @param done called once, when nothing of the message is kept anymore. */
  call(message: RequestMessage, identity: Identity, done: () => void): void {
    const run = async (): Promise<void> => {
      try {
        await this.#deps.turns.turn();
        const isMutation = message.type === "Mutation";
        const { sent } = await (isMutation ? this.#mutate(message, identity) : this.#act(message, identity));
        // A client that reads no answers shall send no more calls.
        void sent.then(done);
      } catch (error) {
        this.#options.socket.fail(error);
        done();
      }
    };
    const begin = (): Promise<void> => {
      const running = run();
      this.#running.add(running);
      return running.finally(() => this.#running.delete(running));
    };
    if (message.type === "Mutation") {
      this.#deps.mutationQueues.enqueue(this.#options.sessionId, begin, () => {
        if (this.#isEnding) done();
        return this.#isEnding;
      });
    } else if (identity.kind !== "none" || this.#runningActions < maxRunningActions) {
      void this.#runAction(begin);
    } else this.#waitingActions.push({ begin, done });
  }

  /** Starts nothing more. Resolves when running calls are answered. */
  async drain(): Promise<void> {
    this.#draining = true;
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** A running mutation finishes, and is answered when it is sent again. */
  close(): void {
    this.#closed = true;
    this.#options.records.close();
    for (const { done } of this.#waitingActions.splice(0)) done();
  }

  get #isEnding(): boolean {
    return this.#closed || this.#draining;
  }

  async #runAction(begin: () => Promise<void>): Promise<void> {
    this.#runningActions += 1;
    await begin();
    this.#runningActions -= 1;
    const next = this.#isEnding ? undefined : this.#waitingActions.shift();
    if (next !== undefined) void this.#runAction(next.begin);
  }

  async #mutate(message: RequestMessage, identity: Identity): Promise<Answered> {
    const { requestId } = message;
    const { sessionId, records, socket, acknowledgedThrough, onMutated } = this.#options;
    const run = await this.#deps.runner.runMutation({
      ...this.#callOf(message, identity),
      session: {
        sessionId,
        requestId,
        isNew: records.isNew(requestId),
        acknowledgedThrough: records.deletable(acknowledgedThrough()),
      },
    });
    if (run.deletedThrough !== undefined) records.deleted(run.deletedThrough);
    if (this.#closed) return notSent;
    const answer = mutationResponse(requestId, run, run.ts);
    return { sent: run.outcome.kind === "failure" ? socket.send(answer) : onMutated(requestId, answer) };
  }

  async #act(message: RequestMessage, identity: Identity): Promise<Answered> {
    const run = await this.#deps.runner.runAction(this.#callOf(message, identity));
    return this.#closed
      ? notSent
      : { sent: this.#options.socket.send(actionResponse(message.requestId, run)) };
  }

  #callOf(message: RequestMessage, identity: Identity) {
    const { udfPath: path, componentPath: component = appComponent, args } = message;
    const { nextRequestId, source } = this.#deps;
    return { path, component, args, identity, requestId: nextRequestId(), source };
  }
}
