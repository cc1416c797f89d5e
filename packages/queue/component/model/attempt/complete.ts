import type { WorkerAnswer, WorkerCall } from "../../../shared/work.ts";
import { boundedSize, sizeOf } from "../bounds.ts";
import type { MutationCtx } from "../builders.ts";
import { applyPlan } from "../dispatch/next.ts";
import { noCursor } from "../dispatch/search.ts";
import { move } from "../jobs/move.ts";
import { renew } from "../leases/renew.ts";
import { subscriptionOf } from "../rings/membership.ts";
import { settingsOf, smallResultBytes } from "../settings.ts";
import { checkAndPlan, readAttemptEnd } from "./attemptEnd.ts";
import { startHeld } from "./start.ts";

/** Small, because the report is kept with the attempt and with the job. */
const maxReportBytes = 16 * 1024;

/**
 * Stores the result, ends the job, and gives the worker its next jobs, in one transaction. A result of an attempt that
 * was not started is valid, too. A repeated call, after its answer was lost, returns the same reply and changes
 * nothing.
 */
export async function complete(
  ctx: MutationCtx,
  args: WorkerCall<"complete">,
  now: number,
): Promise<Exclude<WorkerAnswer<"complete">, { kind: "refused" }>> {
  const end = await readAttemptEnd(ctx, args);
  const { worker, lease, waiters, attempt } = end;
  if (attempt?.workerId === worker._id && attempt.status === "succeeded") {
    await renew(ctx, worker, lease, now);
    const { reply } = attempt;
    const { cursor = noCursor } = args.demand;
    return {
      kind: "completed",
      ...(reply === undefined ? {} : { reply }),
      jobs: [],
      subscriptions: waiters.map(subscriptionOf),
      cursor,
    };
  }
  const { result, report } = args;
  const isLarge = sizeOf(result) > smallResultBytes;
  const [{ held, starts, planned }, settings] = await Promise.all([
    checkAndPlan(ctx, end, now),
    isLarge ? settingsOf(ctx, worker.scope) : null,
  ]);
  await renew(ctx, worker, lease, now, { holds: end.others + planned.found.length > 0 });
  await startHeld(ctx, worker, starts, now);
  if (held === null) return { kind: "fenced", ...(await applyPlan(ctx, worker, planned, waiters, now)) };

  if (settings !== null) boundedSize(result, "The result", settings.maxPayloadBytes);
  if (report !== undefined) boundedSize(report, "The report", maxReportBytes);
  const facts = report === undefined ? {} : { report };
  if (isLarge) await ctx.db.insert("results", { jobId: held.job._id, result });
  const by = held.attempt;
  const kept = isLarge ? facts : { ...facts, result };
  const { reply } = await move(ctx, held.job, { kind: "complete" }, now, { by, job: facts, attempt: kept });
  const next = await applyPlan(ctx, worker, planned, waiters, now);
  return { kind: "completed", ...(reply === undefined ? {} : { reply }), ...next };
}
