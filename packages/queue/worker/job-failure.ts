import type { AttemptError } from "./protocol.ts";

const maxMessageChars = 1_000;

/** Says that a job failed, in words that its requester may read. What a handler throws otherwise is named only. */
export class JobFailure extends Error {
  override readonly name = "JobFailure";
  readonly code: string;
  readonly retryable: boolean;
  readonly unfit: boolean;

  /**
   * @param how.retryable whether another attempt may succeed; true unless said.
   * @param how.unfit this worker cannot run it, another may.
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

/** Says that a handler let go without anybody's fault: the job goes to another worker, at no cost to it. */
export class JobLetGo extends Error {
  override readonly name = "JobLetGo";
}

/** What the queue is told of a handler's throw: of a strange error the class's name alone, for its message may quote the payload. */
export function attemptErrorOf(error: unknown): AttemptError {
  if (error instanceof JobFailure) {
    const { code, retryable, unfit } = error;
    const message = error.message.slice(0, maxMessageChars);
    return unfit ? { code, message, retryable, unfit } : { code, message, retryable };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return { code: "handler_error", message: `The worker failed (${name}).`, retryable: true };
}
