import type { AttemptError } from "./contract/protocol.ts";

const maxMessageChars = 1_000;

/** Says that a job failed, in words that its requester may read. Of any other error only the name is passed on. */
export class JobFailure extends Error {
  override readonly name = "JobFailure";
  readonly code: string;
  readonly retryable: boolean;
  readonly unfit: boolean;

  /**
   * @param how.retryable another attempt may succeed. The default.
   * @param how.unfit this worker cannot run the job, but another may.
   */
  constructor(
    code: string,
    message: string,
    { retryable = true, unfit = false }: { readonly retryable?: boolean; readonly unfit?: boolean } = {},
  ) {
    super(message);
    this.code = code;
    this.retryable = retryable;
    this.unfit = unfit;
  }
}

/** Gives the job back without a failure. It goes to another worker, and no retry is used. */
export class ReleaseJob extends Error {
  override readonly name = "ReleaseJob";
}

/** The error for the queue. Of an unknown error it has only the name, since the message may quote the payload. */
export function attemptErrorOf(error: unknown): AttemptError {
  if (error instanceof JobFailure) {
    const { code, retryable, unfit } = error;
    const message = error.message.slice(0, maxMessageChars);
    return unfit ? { code, message, retryable, unfit } : { code, message, retryable };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return { code: "handler_error", message: `The worker failed (${name}).`, retryable: true };
}
