import type { ConvexClient } from "convex/browser";
import type { Functions } from "./support/usage.ts";

/** A job's task: to take a while, or to write an answer token by token. */
export type Payload =
  | { readonly number: number; readonly kind: "sleep"; readonly ms: number }
  | { readonly number: number; readonly kind: "answer"; readonly tokens: number; readonly perSecond: number };

/** A job that takes as long as its worker needs to write so many tokens. */
export type PacedJob = { readonly number: number; readonly tokens: number };

/** Runs a job. `write` takes streamed text. Both sides use the same handler. */
export type Handler = (payload: Payload, write: (text: string) => Promise<void>) => Promise<void>;

/**
 * The outcome of a worker's call, as its client saw it. `claim`: a call for work returned a job. `empty`: it returned
 * none, or lost the race. `completion`: the end of a job was accepted. `failure`: the call failed.
 */
export type CallKind = "claim" | "empty" | "completion" | "failure" | "other";

/** A client's call that has ended. `error` is null if it returned a value. */
export type Call = { readonly name: string; readonly value: unknown; readonly error: string | null };

/** One of the two compared queues: an app's functions, and a worker with their protocol. */
export type Side = {
  /** The folder of functions that the backend serves. */
  readonly functions: string;
  /** Registers workers by their keys, at most 20 at once. */
  readonly register: (client: ConvexClient, keys: readonly string[]) => Promise<void>;
  /** Submits a job. Returns its id. */
  readonly submit: (client: ConvexClient, payload: Payload) => Promise<string>;
  /** Subscribes to a job's answer, as its requester does. `onText` gets the whole text so far. Returns the unsubscribe function. */
  readonly watch: (client: ConvexClient, jobId: string, onText: (text: string) => void) => () => void;
  /** Whether every job has succeeded. */
  readonly allDone: (client: ConvexClient) => Promise<boolean>;
  /** Starts a worker that works until its process ends. */
  readonly startWorker: (client: ConvexClient, key: string, handler: Handler) => void;
  readonly kindOf: (call: Call) => CallKind;
  /** The number of heartbeats among the runs. */
  readonly heartbeatsIn: (functions: Functions) => number;
};

export type SideName = "ours" | "baseline";
export const sideNames: readonly SideName[] = ["ours", "baseline"];
