import type { Doc, MutationCtx } from "../builders.ts";
import { heldByKey } from "../jobs/held.ts";
import { present } from "../refuse.ts";
import { settingsOf } from "../settings.ts";
import { runStep } from "../tryAgain.ts";
import { failOnce } from "./fail.ts";
import { releaseWaiting } from "./release.ts";

const perRun = 50;

/**
 * Takes the attempts of a scope that were overdue at a time from their workers. The rest, and those at which the app threw,
 * stay for a later run.
 */
export async function timeOutOverdue(
  ctx: MutationCtx,
  { scope, due }: { readonly scope: string; readonly due: number },
): Promise<void> {
  const overdue = await ctx.db
    .query("attempts")
    // Attempts without a limit sort first.
    .withIndex("by_overdue", (q) => q.eq("scope", scope).gte("overdueAt", 0).lte("overdueAt", due))
    .take(perRun);
  for (const { _id: attemptId } of overdue) {
    if (await runStep(ctx, { kind: "timeOut", attemptId })) continue;
    await ctx.db.patch("attempts", attemptId, { overdueAt: due + tryAgainMs });
  }
}

const tryAgainMs = 60_000;

/**
 * Fails an attempt that took too long. The worker may be alive and renew its lease, but it does not do the job. So others get
 * the jobs that it has not started.
 */
export async function timeOut(ctx: MutationCtx, attempt: Doc<"attempts">, now: number): Promise<void> {
  const [found, settings] = await Promise.all([
    ctx.db.get("jobs", attempt.jobId),
    settingsOf(ctx, attempt.scope),
  ]);
  const job = present(found, "job of an open attempt");
  const error = { code: "worker_timeout", message: "The worker did not finish in time.", retryable: true };
  await failOnce(ctx, { attempt, job }, error, settings, now);
  const worker = await ctx.db.get("workers", attempt.workerId);
  if (worker !== null) await releaseWaiting(ctx, worker, await heldByKey(ctx, worker.keyHash), now);
}
