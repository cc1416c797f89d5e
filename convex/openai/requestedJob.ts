import { api } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import {
  type ApiError,
  errorResponse,
  fromJob,
  fromRefusal,
  type PromptField,
  resultExpired,
} from "./errors.ts";
import type { JobView } from "./follow.ts";
import { logBug } from "./outcome.ts";

/** A submitted job and how long it is waited for. */
export type AskedJob = {
  readonly apiKey: string;
  readonly jobId: string;
  /** Ms epoch. */
  readonly giveUpAt: number;
  /** Whether its text is wanted as it comes. */
  readonly stream: boolean;
  /** Whether it goes on when nobody waits: only an idempotency key can find it again. */
  readonly kept: boolean;
  readonly promptField: PromptField;
};

/** How a job ended that has no answer; null while it has not. */
export function endOf(view: JobView, promptField: PromptField): ApiError | null {
  switch (view.status) {
    case "queued":
    case "running":
      return null;
    case "succeeded":
      return view.result === null ? resultExpired : null;
    case "failed":
    case "canceled":
    case "expired":
      return fromJob(view.status, view.error, promptField);
  }
}

export function withJob(error: ApiError, jobId: string): Response {
  return errorResponse({ ...error, headers: { ...error.headers, "x-gleaner-job": jobId } });
}

/** Nobody waits any more: cancels the job, unless its requester can come back for it. Never rejects. */
export async function abandon(ctx: ActionCtx, asked: AskedJob): Promise<void> {
  if (asked.kept) return;
  try {
    await ctx.runMutation(api.requests.cancel, { apiKey: asked.apiKey, jobId: asked.jobId });
  } catch (thrown) {
    // A key that was revoked meanwhile may cancel nothing.
    if (fromRefusal(thrown) === null) logBug("a job that nobody waits for could not be canceled", thrown);
  }
}
