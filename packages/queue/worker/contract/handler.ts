import type { Value } from "convex/values";
import type { Requirements, Subtask } from "./protocol.ts";

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
  /** The newest data that the app's `onClaim` gave at the claim. Undefined without one, and if it failed. */
  readonly fresh: Value | undefined;
  /**
   * Streams text: in chunks while somebody reads along, and from the start to a reader who comes late. `data`: small values
   * that belong to this text. They come with it, in their order.
   */
  readonly append: (text: string, data?: readonly Value[]) => void;
  /** Keeps small facts with the result. The last call counts. */
  readonly report: (facts: Value) => void;
  /**
   * Reports progress: at most 4 KiB of JSON. The job's status shows the last report of each second. The worker's
   * `onEvent` gets each at once.
   */
  readonly progress: (view: Value) => void;
  /**
   * Submits up to 100 jobs in the name of this one, if its policy allows it (`maxSubtasks`). Another attempt that submits
   * again gets the ids of the first ones, by their order. So submit the same jobs in the same order. @returns their ids.
   * @throws JobFailure if the queue takes none of them.
   */
  readonly submit: (jobs: readonly Subtask[]) => Promise<readonly string[]>;
};

/**
 * Runs a job of one kind. Returns the result, or throws: a `JobFailure` describes the failure, any other error means
 * "try again". After `signal` aborts it should throw soon; a result is still used. The payload is unchecked: parse it.
 */
export type Handler = (payload: unknown, ctx: JobContext) => Promise<Value>;
