import { notStarted } from "../../../shared/validators.ts";
import type { Doc, MutationCtx, QueryCtx } from "../builders.ts";
import { holds } from "../jobs/held.ts";
import { move } from "../jobs/move.ts";
import { firstOf } from "../load.ts";
import { maintenance } from "../references.ts";
import { removeUnresponsive, startWithinMs } from "./assign.ts";

/**
 * The time from the first hand-over to the check that takes back all unstarted jobs. Later hand-overs wait for the next
 * check.
 */
const reclaimAfterMs = 5_000;
/** Further checks follow at this interval, so that each hand-over is checked within `reclaimAfterMs`. */
const checkEveryMs = reclaimAfterMs - startWithinMs;
/**
 * Checks that are scheduled together while jobs are handed over all the time. Each write of the row conflicts with all submissions
 * under way, because they read it. After the last hand-over some checks find nothing.
 */
const checksWhileBusy = 10;
/** A check that comes this late means that the backend was away, so no worker could report a start. */
const lateMs = 5_000;
const perRun = 100;

export type Reclaim = {
  readonly scope: string;
  readonly due: number;
  /** Whether the last check came late, too. A backend that is always late still takes jobs back. */
  readonly graced?: boolean | undefined;
};

/** A scope's last scheduled check. One read, in parallel with the submission's other reads. */
export async function reclaimOf(ctx: QueryCtx, scope: string): Promise<Doc<"recalls"> | null> {
  return await firstOf(ctx.db.query("recalls").withIndex("by_scope", (q) => q.eq("scope", scope)));
}

/**
 * Schedules the check of jobs that are handed over now, and more checks if the last one was due just now. So it writes twice a
 * minute at most while the scope is busy; most submissions find a check scheduled.
 */
export async function scheduleReclaim(
  ctx: MutationCtx,
  scope: string,
  row: Doc<"recalls"> | null,
  now: number,
): Promise<void> {
  if (row !== null && row.due >= now + startWithinMs) return;
  const isBusy = row !== null && row.due >= now - checkEveryMs;
  const times = Array.from(
    { length: isBusy ? checksWhileBusy : 1 },
    (_, n) => now + reclaimAfterMs + n * checkEveryMs,
  );
  const due = Math.max(...times);
  if (row === null) await ctx.db.insert("recalls", { scope, due });
  else await ctx.db.patch("recalls", row._id, { due });
  for (const at of times) await ctx.scheduler.runAt(at, maintenance.reclaimUnstarted, { scope, due: at });
}

/**
 * Takes back the jobs that workers were handed and did not start in time, and ends the wait of those workers. It is no
 * failure and uses no retry.
 */
export async function reclaimUnstarted(
  ctx: MutationCtx,
  { scope, due, graced = false }: Reclaim,
  now: number,
): Promise<void> {
  if (now - due > lateMs && !graced) {
    const again = { scope, due: now + lateMs, graced: true };
    await ctx.scheduler.runAfter(lateMs, maintenance.reclaimUnstarted, again);
    return;
  }
  const silent = await ctx.db
    .query("attempts")
    .withIndex("by_handed", (q) =>
      q
        .eq("scope", scope)
        .gt("handedAt", 0)
        .lte("handedAt", now - startWithinMs),
    )
    .take(perRun);
  for (const attempt of silent) {
    const job = await ctx.db.get("jobs", attempt.jobId);
    if (job === null || !holds(job, attempt._id)) continue;
    await removeUnresponsive(ctx, attempt._id);
    await move(ctx, job, { kind: "release" }, now, {
      by: attempt,
      attempt: { releaseReason: notStarted },
    });
  }
  if (silent.length === perRun)
    await ctx.scheduler.runAfter(0, maintenance.reclaimUnstarted, { scope, due: now });
}
