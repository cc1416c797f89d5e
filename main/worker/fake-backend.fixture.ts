import type { ChatResult, JobError } from "../../app/jobs/chat.ts";
import type {
  Acknowledged,
  Backend,
  Capabilities,
  Claimed,
  ClaimOutcome,
  Connection,
  Me,
  ReportedActivity,
  Settled,
} from "./backend.ts";

/** A call that the worker made, and how the test answers it. */
export type Call<T> = {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly answer: (value: T) => void;
  readonly refuse: (error: Error) => void;
};

/**
 * The backend's interface with a test behind it: for orders of events that a real backend gives only by luck.
 * The way of a job on the real one is worker.integration.test.ts.
 */
export class FakeBackend implements Backend {
  readonly calls: Call<never>[] = [];
  readonly log: string[] = [];
  readonly hellos: Capabilities[] = [];
  helloRefusals = 0;
  #me: ((me: Me) => void) | null = null;
  #meError: ((error: Error) => void) | null = null;
  #ready: ((jobIds: readonly string[]) => void) | null = null;
  #held: ((attemptIds: readonly string[]) => void) | null = null;
  #connection: ((connection: Connection) => void) | null = null;

  get watchesReady(): boolean {
    return this.#ready !== null;
  }

  show(shown: {
    readonly me?: Me;
    readonly meError?: Error;
    readonly ready?: readonly string[];
    readonly held?: readonly string[];
    readonly connection?: Connection;
  }): void {
    if (shown.connection !== undefined) this.#connection?.(shown.connection);
    if (shown.me !== undefined) this.#me?.(shown.me);
    if (shown.meError !== undefined) this.#meError?.(shown.meError);
    if (shown.held !== undefined) this.#held?.(shown.held);
    if (shown.ready !== undefined) this.#ready?.(shown.ready);
  }

  /** The oldest call of this name that has no answer yet. */
  async take<T>(name: string): Promise<Call<T>> {
    for (let i = 0; i < 200; i++) {
      const index = this.calls.findIndex((call) => call.name === name);
      if (index >= 0) return this.calls.splice(index, 1)[0] as unknown as Call<T>;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`no call of ${name}; there were ${this.log.join(", ")}`);
  }

  #call<T>(name: string, ...args: unknown[]): Promise<T> {
    this.log.push(name);
    return new Promise((answer, refuse) => this.calls.push({ name, args, answer, refuse }));
  }

  enroll(): never {
    throw new Error("not of the worker's");
  }
  async hello(_version: string, capabilities: Capabilities): Promise<void> {
    this.log.push("hello");
    this.hellos.push(capabilities);
    if (this.helloRefusals-- > 0) throw new Error("overloaded");
  }
  async heartbeat(): Promise<void> {
    this.log.push("heartbeat");
  }
  async report({ reason }: ReportedActivity): Promise<void> {
    this.log.push(`report ${reason}`);
  }
  async goodbye(): Promise<void> {
    this.log.push("goodbye");
  }
  claim(jobId: string): Promise<ClaimOutcome> {
    return this.#call("claim", jobId);
  }
  append(attemptId: string, seq: number, text: string): Promise<Acknowledged> {
    return this.#call("append", attemptId, seq, text);
  }
  complete(attemptId: string, result: ChatResult, wantsNext: boolean): Promise<Settled> {
    return this.#call("complete", attemptId, result, wantsNext);
  }
  fail(attemptId: string, error: JobError): Promise<Acknowledged> {
    return this.#call("fail", attemptId, error);
  }
  release(attemptId: string, reason: string): Promise<Acknowledged> {
    return this.#call("release", attemptId, reason);
  }
  onMe(listener: (me: Me) => void, onError: (error: Error) => void): () => void {
    this.#me = listener;
    this.#meError = onError;
    return () => (this.#me = null);
  }
  onReady(listener: (jobIds: readonly string[]) => void): () => void {
    this.#ready = listener;
    return () => (this.#ready = null);
  }
  onHeld(listener: (attemptIds: readonly string[]) => void): () => void {
    this.#held = listener;
    return () => (this.#held = null);
  }
  onEarnings(): () => void {
    return () => undefined;
  }
  onHistory(): () => void {
    return () => undefined;
  }
  onConnection(listener: (connection: Connection) => void): () => void {
    this.#connection = listener;
    listener({ connected: false, generation: 0 });
    return () => (this.#connection = null);
  }
  async close(): Promise<void> {
    this.log.push("close");
  }
}

export function claimedJob(attemptId: string, changed: Partial<Claimed> = {}): Claimed {
  const request = {
    messages: [{ role: "user", content: "hi" }],
    maxTokens: 5,
    temperature: 0,
    topP: 1,
    seed: 1,
    stop: [],
  } as const;
  return { attemptId, jobId: `job of ${attemptId}`, modelId: "m", request, watched: false, ...changed };
}
