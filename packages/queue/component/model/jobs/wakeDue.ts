import type { MutationCtx } from "../../builders.ts";
import { maintenance } from "../references.ts";
import { wake } from "./wake.ts";

const perPiece = 100;

/**
 * Wakes the delayed jobs whose time has come, in pieces.
 * @param later further times at which to look, ascending; ms epoch.
 */
export async function wakeDue(ctx: MutationCtx, later: readonly number[], now: number): Promise<void> {
  const due = await ctx.db
    .query("jobs")
    // Rows without a time sort before all that have one.
    .withIndex("by_due", (q) => q.gt("dueAt", 0).lte("dueAt", now))
    .take(perPiece);
  for (const job of due) {
    const dependency =
      job.status === "waiting"
        ? await ctx.db
            .query("dependencies")
            .withIndex("by_job", (q) => q.eq("jobId", job._id))
            .first()
        : null;
    if (dependency !== null) await ctx.db.patch("jobs", job._id, { waitsFor: "jobs", dueAt: undefined });
    else if (job.status === "waiting") await wake(ctx, job, now);
    else await ctx.db.patch("jobs", job._id, { dueAt: undefined });
  }
  const more = due.length === perPiece;
  const next = more ? now : later.find((at) => at > now);
  if (next === undefined) return;
  const rest = later.filter((at) => at > next);
  await ctx.scheduler.runAt(next, maintenance.wakeDue, rest.length === 0 ? {} : { later: rest });
}
