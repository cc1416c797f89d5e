import type { AttemptError } from "./contract/protocol.ts";

const maxMessageChars = 1_000;

/** Says that a job failed, in words that its requester may read. Of any other error only the name is passed on. */
export class JobFailure extends Error {
  override readonly name = "JobFailure";
  readonly code: string;
  readonly retryable: boolean;
  readonly unfit: boolean;
  readonly byJob: boolean;

  /**
   * @param how.retryable another attempt may succeed. The default.
   * @param how.unfit this worker cannot run the job, but another may.
   * @param how.byJob the job made this worker fail and may do so to others, so only one more of them tries it.
   */
  constructor(
    code: string,
    message: string,
    {
      retryable = true,
      unfit = false,
      byJob = false,
    }: {
      readonly retryable?: boolean;
      readonly unfit?: boolean;
      readonly byJob?: boolean;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.retryable = retryable;
    this.unfit = unfit;
    this.byJob = byJob;
  }
}

/** Gives the job back without a failure. It goes to another worker, and no retry is used. */
export class ReleaseJob extends Error {
  override readonly name = "ReleaseJob";
}

/** The error for the queue. Of an unknown error it has only the name, since the message may quote the payload. */
export function attemptErrorOf(error: unknown): AttemptError {
  if (error instanceof JobFailure) {
    const { code, retryable, unfit, byJob } = error;
    const message = error.message.slice(0, maxMessageChars);
    return { code, message, retryable, ...(unfit ? { unfit } : {}), ...(byJob ? { byJob } : {}) };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return { code: "handler_error", message: `The worker failed (${name}).`, retryable: true };
}
