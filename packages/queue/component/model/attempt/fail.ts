import type { WorkerAnswer, WorkerCall } from "../../../shared/work.ts";
import { clip } from "../bounds.ts";
import type { Doc, MutationCtx } from "../builders.ts";
import { ringPositionForAnother, wasUnfit, withUnfit } from "../dispatch/avoid.ts";
import { applyPlan } from "../dispatch/next.ts";
import { move } from "../jobs/move.ts";
import { renew } from "../leases/renew.ts";
import { maintenance } from "../references.ts";
import { policyOf, type Settings, settingsOf } from "../settings.ts";
import { checkAndPlan, readAttemptEnd } from "./attemptEnd.ts";
import { retryAfter } from "./backoff.ts";
import { startHeld } from "./start.ts";

const maxCodeChars = 100;
const maxMessageChars = 500;

/**
 * Ends an attempt with an error, and gives the worker its next jobs, in one transaction. The job is retried after a
 * back-off, or becomes a dead letter.
 */
export async function fail(
  ctx: MutationCtx,
  args: WorkerCall<"fail">,
  now: number,
): Promise<WorkerAnswer<"fail">> {
  const end = await readAttemptEnd(ctx, args);
  const { worker, lease, waiters, others } = end;
  const [{ held, starts, planned }, settings] = await Promise.all([
    checkAndPlan(ctx, end, now),
    settingsOf(ctx, worker.scope),
  ]);
  await renew(ctx, worker, lease, now, { holds: others + planned.found.length > 0 });
  await startHeld(ctx, starts, now);
  if (held !== null) await failOnce(ctx, worker, held.job, args.error, settings, now);
  const next = await applyPlan(ctx, worker, planned, waiters, now);
  return { kind: held === null ? "fenced" : "failed", ...next };
}

/**
 * A worker's first `unfit` counts as a failure; its repeats do not. The job goes to another worker without a back-off. A
 * failure that the job caused counts twice: in `failures`, and in `failuresByJob`, which has a lower limit.
 */
async function failOnce(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  job: Doc<"jobs">,
  { code, message, retryable, unfit = false, byJob = false }: WorkerCall<"fail">["error"],
  settings: Settings,
  now: number,
): Promise<void> {
  const error = { code: clip(code, maxCodeChars), message: clip(message, maxMessageChars) };
  const policy = policyOf(settings, job.policy);
  const failures = unfit && wasUnfit(job, worker._id) ? job.failures : job.failures + 1;
  const unfits = unfit ? { unfit: withUnfit(job, worker) } : {};
  const failuresByJob = (job.failuresByJob ?? 0) + (byJob ? 1 : 0);
  const tooMany = failures >= policy.maxFailures || failuresByJob >= policy.maxFailuresByJob;
  const final = (!retryable && !unfit) || tooMany;
  const next = final
    ? { error }
    : { place: await ringPositionForAnother(ctx, { ...job, ...unfits }, worker._id) };
  const waitMs = final || unfit ? 0 : retryAfter(policy, failures, Math.random());
  const delayed = waitMs > 0;
  const dueAt = now + waitMs;
  const wait = delayed ? { waitsFor: "time" as const, dueAt } : {};
  await move(ctx, job, { kind: "fail", final, delayed }, now, {
    job: { failures, ...(byJob ? { failuresByJob } : {}), ...unfits, ...next, ...wait },
    attempt: { error },
  });
  if (delayed) await ctx.scheduler.runAt(dueAt, maintenance.wakeDue, {});
}
