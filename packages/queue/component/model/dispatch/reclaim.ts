import type { Doc, MutationCtx, QueryCtx } from "../../builders.ts";
import { move } from "../jobs/move.ts";
import { onlyOf } from "../load.ts";
import { maintenance } from "../references.ts";
import { handedPauseMs, passOver } from "./assign.ts";

/** So long after the first hand-over all that were not begun are taken back together: the next ones wait for the next look. */
const recallAfterMs = 5_000;
/** A look that comes this late means that the backend was away, and so that nobody could say anything. */
const lateMs = 5_000;
const perRun = 100;

export type Recall = {
  readonly scope: string;
  readonly due: number;
  /** Whether the look before this one came late, too: a backend that is always late still takes back. */
  readonly graced?: boolean | undefined;
};

/** When a scope's hand-overs are looked after next. One read, beside what a submission reads. */
export async function recallOf(ctx: QueryCtx, scope: string): Promise<Doc<"recalls"> | null> {
  return await onlyOf(ctx.db.query("recalls").withIndex("by_scope", (q) => q.eq("scope", scope)));
}

/**
 * Has what was handed over just now looked after. Written every few seconds at most, however much is handed over: most
 * submissions find it done.
 */
export async function armRecall(
  ctx: MutationCtx,
  scope: string,
  row: Doc<"recalls"> | null,
  now: number,
): Promise<void> {
  if (row !== null && row.due >= now + handedPauseMs) return;
  const due = now + recallAfterMs;
  if (row === null) await ctx.db.insert("recalls", { scope, due });
  else await ctx.db.patch("recalls", row._id, { due });
  await ctx.scheduler.runAt(due, maintenance.recall, { scope, due });
}

/**
 * Takes back what workers were handed and have not begun in time: they do not listen, and wait nowhere any more. No
 * failure, and no retry used.
 */
export async function recall(
  ctx: MutationCtx,
  { scope, due, graced = false }: Recall,
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
        .lte("handedAt", now - handedPauseMs),
    )
    .take(perRun);
  for (const { jobId, _id: attemptId } of silent) {
    const job = await ctx.db.get("jobs", jobId);
    if (job?.status !== "prefetched" || job.currentAttemptId !== attemptId) continue;
    await passOver(ctx, job);
    await move(ctx, job, { kind: "release" }, now, { attempt: { releaseReason: "not begun in time" } });
  }
  if (silent.length === perRun) await ctx.scheduler.runAfter(0, maintenance.recall, { scope, due: now });
}
