import type { Value } from "convex/values";
import type { Requirements } from "./protocol.ts";

/** One attempt at a job, as its handler sees it. */
export type JobContext = {
  /** Aborted when the job is to be let go: at a pause, at the end, when it was canceled or is no longer ours. */
  readonly signal: AbortSignal;
  readonly attemptId: string;
  readonly jobId: string;
  readonly kind: string;
  readonly requirements: Requirements;
  /** The how manieth attempt it is, from 1. */
  readonly number: number;
  /** Until the job's deadline, in ms, when it was handed out; null without one. */
  readonly remainingMs: number | null;
  /** Text for whoever reads along: sent in chunks while somebody does, and from the start to one who comes late. */
  readonly append: (text: string) => void;
  /** Small facts that are kept with the result. The last call counts. */
  readonly report: (facts: Value) => void;
  /**
   * How far it is, in 4 KiB of JSON at most: shown by the job's status while it runs, a second later, and the last of each
   * second alone. The program around the worker is told at once (`onEvent`).
   */
  readonly progress: (view: Value) => void;
};

/**
 * Runs a job of one kind. Returns its result, or throws: a `JobFailure`, or anything else for "try again". When
 * `signal` is aborted it has to let go as soon as it can, by a throw; a result is taken even then.
 * The payload is whatever was submitted: parse it.
 */
export type Handler = (payload: unknown, ctx: JobContext) => Promise<Value>;
