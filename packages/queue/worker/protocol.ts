import { type DefaultFunctionArgs, type FunctionReference, makeFunctionReference } from "convex/server";
import type { Value } from "convex/values";

/** What a worker and a queue say to each other: the types of the queue's worker functions, by shape alone. */

/** What it takes to run a job. */
export type Requirements = {
  readonly model?: string;
  readonly memoryMb?: number;
  readonly gpu?: boolean;
  readonly contextTokens?: number;
  readonly tags?: readonly string[];
  readonly groups?: readonly string[];
  readonly dataClass?: string;
};

/** What a worker says of itself. `concurrency`: jobs that it runs at once; `prefetch`: what it holds beyond. */
export type Capabilities = {
  readonly kinds: readonly string[];
  readonly models?: readonly string[];
  readonly memoryMb?: number;
  readonly gpu?: boolean;
  readonly contextTokens?: number;
  readonly tags?: readonly string[];
  readonly concurrency?: number;
  readonly prefetch?: number;
};

/** A job that this worker holds, under the fence of its attempt. `begun` is false for one that it has prefetched. */
export type ClaimedJob = {
  readonly attemptId: string;
  readonly jobId: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly requirements: Requirements;
  /** The how manieth attempt it is, from 1. */
  readonly number: number;
  readonly begun: boolean;
  readonly watched: boolean;
  /** Until its deadline, in ms, as the backend's clock had it; null without one. */
  readonly remainingMs: number | null;
};

/** Where a worker waits for jobs of one lane; of the lane "" while there is none that it could run jobs of. */
export type Stand = { readonly laneId: string; readonly position: number };

/** Where to go on looking: the queue's, and opaque here. */
export type Cursor = { readonly laneId: string | null; readonly place: number; readonly turn: number };

/** How many jobs more are wanted with a call. */
export type Wish = { readonly jobs: number; readonly cursor?: Cursor };

export type NextWork = {
  readonly jobs: readonly ClaimedJob[];
  readonly stands: readonly Stand[];
  readonly cursor: Cursor;
};

/** A ready job that this worker is woken for. `late`: as the backup of another, who has the first try. */
export type Candidate = {
  readonly jobId: string;
  readonly laneId: string;
  readonly late: boolean;
  /** Another holds it, and has not said that it has begun. */
  readonly held?: boolean;
  /** More like it stand behind it: to be said with the claim. */
  readonly crowded?: boolean;
};

export type Candidates = {
  readonly stands: readonly Stand[];
  readonly jobs: readonly Candidate[];
};

export type TakeOutcome =
  ({ readonly kind: "ok" } & NextWork) | { readonly kind: "unable"; readonly reason: "paused" | "full" };

export type ClaimOutcome =
  /** It waits on at these stands, when it wished for more. */
  | {
      readonly kind: "claimed";
      readonly job: ClaimedJob;
      readonly stands: readonly Stand[];
      readonly cursor: Cursor;
    }
  | { readonly kind: "taken" }
  | { readonly kind: "unable" };

export type AttemptError = {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** This worker cannot run it, another may: counts against no retry. */
  readonly unfit?: boolean;
};

/** `fenced`: the attempt is no longer this worker's, and what it says of it is dropped. */
export type CompleteOutcome =
  | ({ readonly kind: "completed"; readonly reply?: unknown } & NextWork)
  | ({ readonly kind: "fenced" } & NextWork);
export type FailOutcome = { readonly kind: "failed" | "fenced" } & NextWork;
export type Acknowledged = { readonly kind: "ok" | "fenced" };

/** One row of `held`. */
export type HeldRow = { readonly attemptId: string; readonly watched: boolean };

type Mutation<Args extends DefaultFunctionArgs, Result> = FunctionReference<
  "mutation",
  "public",
  { key: string } & Args,
  Result
>;
type Query<Args extends DefaultFunctionArgs, Result> = FunctionReference<
  "query",
  "public",
  { key: string } & Args,
  Result
>;
type NoMore = Record<string, unknown>;

/** References to the functions that an app made with `workerFunctions(queue)`, such as its `api.work`. */
export type WorkerFunctions = {
  readonly hello: Mutation<
    { version?: string; capabilities: Capabilities; startup: boolean },
    { readonly leaseMs: number }
  >;
  readonly heartbeat: Mutation<NoMore, null>;
  readonly goodbye: Mutation<NoMore, null>;
  readonly take: Mutation<{ wish: Wish }, TakeOutcome>;
  readonly candidates: Query<{ stands: readonly Stand[] }, Candidates>;
  /** What this worker was given while it waited, and has not begun. */
  readonly handed: Query<NoMore, readonly ClaimedJob[]>;
  readonly claim: Mutation<
    { jobId: string; late: boolean; laneId?: string; crowded?: boolean; wish: Wish },
    ClaimOutcome
  >;
  readonly append: Mutation<{ attemptId: string; seq: number; text: string }, Acknowledged>;
  readonly progress: Mutation<{ attemptId: string; view: Value }, Acknowledged>;
  readonly complete: Mutation<
    { attemptId: string; result: Value; report?: Value; begins?: readonly string[]; wish: Wish },
    CompleteOutcome
  >;
  readonly fail: Mutation<
    { attemptId: string; error: AttemptError; begins?: readonly string[]; wish: Wish },
    FailOutcome
  >;
  readonly release: Mutation<
    { attemptIds: readonly string[]; reason: string; leave: boolean },
    { readonly fenced: readonly string[] }
  >;
  readonly start: Mutation<{ attemptIds: readonly string[] }, { readonly fenced: readonly string[] }>;
  readonly leave: Mutation<NoMore, null>;
  readonly held: Query<NoMore, readonly HeldRow[]>;
};

/** The same by the name of the app's module, for a program that has not the app's generated code: `functionsAt("work")`. */
export function functionsAt(module: string): WorkerFunctions {
  const mutation = <Name extends keyof WorkerFunctions>(name: Name): WorkerFunctions[Name] =>
    makeFunctionReference<"mutation">(`${module}:${name}`) as unknown as WorkerFunctions[Name];
  const query = <Name extends "candidates" | "handed" | "held">(name: Name): WorkerFunctions[Name] =>
    makeFunctionReference<"query">(`${module}:${name}`);
  return {
    hello: mutation("hello"),
    heartbeat: mutation("heartbeat"),
    goodbye: mutation("goodbye"),
    take: mutation("take"),
    candidates: query("candidates"),
    handed: query("handed"),
    claim: mutation("claim"),
    append: mutation("append"),
    progress: mutation("progress"),
    complete: mutation("complete"),
    fail: mutation("fail"),
    release: mutation("release"),
    start: mutation("start"),
    leave: mutation("leave"),
    held: query("held"),
  };
}
