import type { JobError } from "../../../app/jobs/chat.ts";
import { maxFailedAttempts } from "../../../app/jobs/limits.ts";
import { isFinal } from "../../../app/jobs/states.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { releaseReservation } from "../ledger/settle.ts";
import { passFence } from "./fence.ts";
import { move } from "./move.ts";
import { saysUnfit, wasUnfit, withUnfit } from "./unfit.ts";

const maxMessageChars = 500;

/**
 * The device gave up. The job goes back to the queue, unless the error is final or the retries are used up.
 * That a device cannot run the model says nothing of the job: it counts once per device, and is never final
 * by itself.
 */
export async function fail(
  ctx: MutationCtx,
  device: Doc<"devices">,
  failure: { readonly attemptId: Id<"attempts">; readonly error: JobError },
  now: number,
): Promise<{ kind: "ok"; next: null } | { kind: "fenced" }> {
  const held = await passFence(ctx, device, failure.attemptId);
  if (held === null) return { kind: "fenced" };
  const { code, retryable } = failure.error;
  const error = { code, message: failure.error.message.slice(0, maxMessageChars) };
  const { job } = held;
  const unfit = saysUnfit(code);
  const failures = unfit && wasUnfit(job, device) ? job.failures : job.failures + 1;
  const final = (!retryable && !unfit) || failures >= maxFailedAttempts;
  const moved = await move(ctx, job, { kind: "fail", final }, now, {
    job: { failures, ...(unfit ? { unfit: withUnfit(job, device) } : {}), ...(final ? { error } : {}) },
    attempt: { error },
  });
  if (isFinal(moved.status)) await releaseReservation(ctx, moved, now);
  return { kind: "ok", next: null };
}
