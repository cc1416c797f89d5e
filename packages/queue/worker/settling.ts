import type { Value } from "convex/values";
import { ConvexError, convexToJson } from "convex/values";
import type { Asking } from "./asking.ts";
import type { Calls } from "./calls.ts";
import type { AttemptCalls } from "./held-attempt.ts";
import type { AttemptError } from "./protocol.ts";
import type { Returns } from "./returns.ts";
import { withRetries } from "./with-retries.ts";

export type SettlingParts = {
  readonly calls: Calls;
  readonly asking: Asking;
  readonly returns: Returns;
  /** Begins what was prefetched, in the place of the attempt that ends, and says which. */
  readonly beginWaiting: () => string[];
};

/** How attempts end: with each end go the wish for a next job and what is begun in its place, in one call. */
export function settling({ calls, asking, returns, beginWaiting }: SettlingParts): AttemptCalls {
  const fail = (attemptId: string, error: AttemptError): Promise<{ readonly kind: string }> => {
    const begins = beginWaiting();
    return withRetries(() => asking.ask((wish) => calls.say("fail", { attemptId, error, begins, wish })));
  };
  const complete = (attemptId: string, result: Value, report: Value | undefined) => {
    const begins = beginWaiting();
    const done = { attemptId, result, begins, ...(report === undefined ? {} : { report }) };
    return withRetries(() => asking.ask((wish) => calls.say("complete", { ...done, wish })));
  };
  return {
    append: (attemptId, seq, text) => calls.say("append", { attemptId, seq, text }),
    progress: (attemptId, view) => calls.say("progress", { attemptId, view }),
    fail,
    complete: async (attemptId, result, report) => {
      if (!isConvexValue(result) || (report !== undefined && !isConvexValue(report))) {
        return await fail(attemptId, refused("The worker's result is not a value that Convex can keep."));
      }
      try {
        return await complete(attemptId, result, report);
      } catch (error) {
        // Refused for what it is, such as its size: another attempt would fare the same.
        if (!(error instanceof ConvexError)) throw error;
        return await fail(attemptId, refused("The queue does not take the worker's result."));
      }
    },
    release: (attemptId, reason) => returns.give(attemptId, reason),
  };
}

function refused(message: string): AttemptError {
  return { code: "result_refused", message, retryable: false };
}

function isConvexValue(value: Value): boolean {
  try {
    convexToJson(value);
    return true;
  } catch {
    return false;
  }
}
