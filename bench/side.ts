import type { ConvexClient } from "convex/browser";
import type { Functions } from "./support/usage.ts";

/** What a job is told to do: to take a while, or to answer, a token at a time. */
export type Payload =
  | { readonly number: number; readonly kind: "sleep"; readonly ms: number }
  | { readonly number: number; readonly kind: "answer"; readonly tokens: number; readonly perSecond: number };

/** Runs a job; `write` takes what is streamed. Both sides run the same one. */
export type Handler = (payload: Payload, write: (text: string) => Promise<void>) => Promise<void>;

/**
 * What a worker's call came to, as its client saw it. `claim`: it asked for work, and got some; `empty`: it asked
 * and got none, or lost the race for it; `completion`: the end of a job was taken in; `failure`: the call failed.
 */
export type CallKind = "claim" | "empty" | "completion" | "failure" | "other";

/** A call of a client that has ended. `error` is null when it gave a value. */
export type Call = { readonly name: string; readonly value: unknown; readonly error: string | null };

/** One of the two queues that are compared: an app of functions, and a worker that follows its protocol. */
export type Side = {
  /** The folder of functions that the backend serves. */
  readonly functions: string;
  /** Makes workers known by their keys, at most 20 at once. */
  readonly register: (client: ConvexClient, keys: readonly string[]) => Promise<void>;
  /** Submits one job; its id. */
  readonly submit: (client: ConvexClient, payload: Payload) => Promise<string>;
  /** Asks for the answer as it grows, as its asker would; `onText` gets all of it. Returns what ends it. */
  readonly watch: (client: ConvexClient, jobId: string, onText: (text: string) => void) => () => void;
  /** Whether no job is left that is not done. */
  readonly allDone: (client: ConvexClient) => Promise<boolean>;
  /** It works until its process ends. */
  readonly startWorker: (client: ConvexClient, key: string, handler: Handler) => void;
  readonly kindOf: (call: Call) => CallKind;
  /** How many of the runs are heartbeats. */
  readonly heartbeatsIn: (functions: Functions) => number;
};

export type SideName = "ours" | "baseline";
export const sideNames: readonly SideName[] = ["ours", "baseline"];
