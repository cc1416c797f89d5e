import type { Doc, MutationCtx, QueryCtx } from "../../builders.ts";
import { move } from "../jobs/move.ts";
import { firstOf } from "../load.ts";
import { maintenance } from "../references.ts";
import { removeUnresponsive, startWithinMs } from "./assign.ts";

/** So long after the first hand-over all that were not begun are taken back together: the next ones wait for the next look. */
const reclaimAfterMs = 5_000;
/** A look that comes this late means that the backend was away, and so that nobody could say anything. */
const lateMs = 5_000;
const perRun = 100;

export type Reclaim = {
  readonly scope: string;
  readonly due: number;
  /** Whether the look before this one came late, too: a backend that is always late still takes back. */
  readonly graced?: boolean | undefined;
};

/** When a scope's hand-overs are looked after next. One read, beside what a submission reads. */
export async function reclaimOf(ctx: QueryCtx, scope: string): Promise<Doc<"recalls"> | null> {
  return await firstOf(ctx.db.query("recalls").withIndex("by_scope", (q) => q.eq("scope", scope)));
}

/**
 * Has what was handed over just now looked after. Written every few seconds at most, however much is handed over: most
 * submissions find it done.
 */
export async function scheduleReclaim(
  ctx: MutationCtx,
  scope: string,
  row: Doc<"recalls"> | null,
  now: number,
): Promise<void> {
  if (row !== null && row.due >= now + startWithinMs) return;
  const due = now + reclaimAfterMs;
  if (row === null) await ctx.db.insert("recalls", { scope, due });
  else await ctx.db.patch("recalls", row._id, { due });
  await ctx.scheduler.runAt(due, maintenance.recall, { scope, due });
}

/**
 * Takes back what workers were handed and have not begun in time: they do not listen, and wait nowhere any more. No
 * failure, and no retry used.
 */
export async function reclaimUnstarted(
  ctx: MutationCtx,
  { scope, due, graced = false }: Reclaim,
  now: number,
): Promise<void> {
  if (now - due > lateMs && !graced) {
    const again = { scope, due: now + lateMs, graced: true };
    await ctx.scheduler.runAfter(lateMs, maintenance.recall, again);
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
  for (const { jobId, _id: attemptId } of silent) {
    const job = await ctx.db.get("jobs", jobId);
    if (job?.status !== "prefetched" || job.currentAttemptId !== attemptId) continue;
    await removeUnresponsive(ctx, job);
    await move(ctx, job, { kind: "release" }, now, { attempt: { releaseReason: "not begun in time" } });
  }
  if (silent.length === perRun) await ctx.scheduler.runAfter(0, maintenance.recall, { scope, due: now });
}
