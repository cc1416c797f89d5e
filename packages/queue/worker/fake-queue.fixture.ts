import type { FunctionReference } from "convex/server";
import { getFunctionName } from "convex/server";
import type {
  Candidates,
  ClaimedJob,
  Cursor,
  HeldRow,
  NextWork,
  WaitSubscription,
} from "./contract/protocol.ts";
import type { WorkerClient } from "./contract/queue-client.ts";

/** A call that the worker made, for the test to answer. */
export type Call = {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly answer: (value: unknown) => void;
  readonly refuse: (error: Error) => void;
};

type Subscription = {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly onValue: (value: unknown) => void;
};

/** Answers that are given at once, without the test. */
const plain: Readonly<Record<string, unknown>> = {
  hello: { leaseMs: 40_000 },
  heartbeat: null,
  goodbye: null,
  leave: null,
  append: { kind: "ok" },
  progress: { kind: "ok" },
  start: { fenced: [] },
};

/**
 * A client of a queue that the test plays, for orders of events that a real queue produces only by chance. Tests with a
 * real queue are in worker.integration.test.ts.
 */
export class FakeQueue implements WorkerClient {
  /** The names of all calls, in order. */
  readonly log: string[] = [];
  readonly args: Record<string, Readonly<Record<string, unknown>>[]> = {};
  /** By name: the errors of the next calls. */
  readonly refusals: Record<string, Error[]> = {};
  /** By name: answers that are given at once. */
  readonly answers: Record<string, unknown> = { ...plain };
  readonly #calls: Call[] = [];
  readonly #subscriptions = new Set<Subscription>();
  readonly #subscribed: string[] = [];
  #held: readonly HeldRow[] | null = null;
  #connection = { isWebSocketConnected: false, connectionCount: 0 };
  readonly #connectionListeners = new Set<() => void>();

  readonly client = {
    connectionState: () => this.#connection,
    subscribeToConnectionState: (listener: () => void) => {
      this.#connectionListeners.add(listener);
      return () => this.#connectionListeners.delete(listener);
    },
  } as unknown as WorkerClient["client"];

  readonly mutation = ((reference: FunctionReference<"mutation">, args: Call["args"]) => {
    const name = nameOf(reference);
    this.log.push(name);
    (this.args[name] ??= []).push(args);
    const refusal = this.refusals[name]?.shift();
    if (refusal !== undefined) return Promise.reject(refusal);
    if (name in this.answers) return Promise.resolve(this.answers[name]);
    return new Promise((answer, refuse) => this.#calls.push({ name, args, answer, refuse }));
  }) as unknown as WorkerClient["mutation"];

  readonly onUpdate = ((
    reference: FunctionReference<"query">,
    args: Subscription["args"],
    onValue: Subscription["onValue"],
  ) => {
    const subscription = { name: nameOf(reference), args, onValue };
    this.#subscriptions.add(subscription);
    this.#subscribed.push(subscription.name);
    // Like a real client: a new subscriber gets the last value at once.
    if (subscription.name === "held" && this.#held !== null) {
      const { onValue: tell } = subscription;
      const value = this.#held;
      queueMicrotask(() => {
        if (this.#subscriptions.has(subscription)) tell(value);
      });
    }
    return () => this.#subscriptions.delete(subscription);
  }) as unknown as WorkerClient["onUpdate"];

  connect(generation: number): void {
    this.#setConnection({ isWebSocketConnected: true, connectionCount: generation });
  }

  cut(): void {
    this.#setConnection({ ...this.#connection, isWebSocketConnected: false });
  }

  #setConnection(connection: { isWebSocketConnected: boolean; connectionCount: number }): void {
    this.#connection = connection;
    for (const listener of [...this.#connectionListeners]) listener();
  }

  /** The positions whose ready jobs the worker follows; null while it follows none. */
  get followed(): readonly WaitSubscription[] | null {
    const [one] = this.#of("candidates");
    return one === undefined ? null : (one.args["subscriptions"] as readonly WaitSubscription[]);
  }

  /** How often the worker has subscribed to this query. */
  subscribed(name: string): number {
    return this.#subscribed.filter((each) => each === name).length;
  }

  get followsHeld(): boolean {
    return this.#of("held").length > 0;
  }

  showCandidates(shown: Candidates): void {
    for (const { onValue } of this.#of("candidates")) onValue(shown);
  }

  showHanded(...jobs: readonly ClaimedJob[]): void {
    for (const { onValue } of this.#of("handed")) onValue(jobs);
  }

  showHeld(...rows: readonly (string | HeldRow)[]): void {
    const value = rows.map((row) => (typeof row === "string" ? { attemptId: row, watched: false } : row));
    this.#held = value;
    for (const { onValue } of this.#of("held")) onValue(value);
  }

  #of(name: string): readonly Subscription[] {
    return [...this.#subscriptions].filter((subscription) => subscription.name === name);
  }

  /** The oldest unanswered call of this name. Throws if every call of it is answered. */
  call(name: string): Call {
    const index = this.#calls.findIndex((call) => call.name === name);
    const [call] = index < 0 ? [] : this.#calls.splice(index, 1);
    if (call === undefined) throw new Error(`no call of ${name}; there were ${this.log.join(", ")}`);
    return call;
  }

  get unanswered(): readonly string[] {
    return this.#calls.map(({ name }) => name);
  }

  count(name: string): number {
    return this.log.filter((call) => call === name).length;
  }
}

function nameOf(reference: FunctionReference<"mutation" | "query">): string {
  return getFunctionName(reference).split(":")[1] ?? "";
}

export const someCursor: Cursor = { laneId: "l", place: 5, turn: 1 };
export const someSubscription: WaitSubscription = { laneId: "l", position: 7 };

export function nextWork(
  jobs: readonly ClaimedJob[],
  subscriptions: readonly WaitSubscription[] = [],
): NextWork {
  return { jobs, subscriptions, cursor: someCursor };
}

export function claimedJob(attemptId: string, changed: Partial<ClaimedJob> = {}): ClaimedJob {
  return {
    attemptId,
    jobId: `job of ${attemptId}`,
    kind: "echo",
    payload: { say: attemptId },
    requirements: {},
    number: 1,
    begun: true,
    watched: false,
    remainingMs: null,
    ...changed,
  };
}
