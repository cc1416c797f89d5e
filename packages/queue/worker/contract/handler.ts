import type { Value } from "convex/values";
import type { Requirements } from "./protocol.ts";

/** One attempt at a job, for its handler. */
export type JobContext = {
  /** Aborted when the handler has to let go: at a pause, at the end, or when the job was canceled or is no longer ours. */
  readonly signal: AbortSignal;
  readonly attemptId: string;
  readonly jobId: string;
  readonly kind: string;
  readonly requirements: Requirements;
  /** Attempt number, starting at 1. */
  readonly number: number;
  /** Milliseconds from the claim to the job's deadline; null without a deadline. */
  readonly remainingMs: number | null;
  /** Streams text: in chunks while somebody reads along, and from the start to a reader who comes late. */
  readonly append: (text: string) => void;
  /** Keeps small facts with the result. The last call counts. */
  readonly report: (facts: Value) => void;
  /**
   * Reports progress: at most 4 KiB of JSON. The job's status shows the last report of each second. The worker's
   * `onEvent` gets each at once.
   */
  readonly progress: (view: Value) => void;
};

/**
 * Runs a job of one kind. Returns its result, or throws: a `JobFailure`, or anything else for "try again". When
 * `signal` is aborted, the handler has to let go as soon as it can, by a throw. A result is taken even then.
 * The payload is unchecked: parse it.
 */
export type Handler = (payload: unknown, ctx: JobContext) => Promise<Value>;
