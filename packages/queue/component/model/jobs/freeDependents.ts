import type { Doc, MutationCtx } from "../../builders.ts";
import { maintenance } from "../references.ts";

/** Has those that depend on a final job told, soon and in pieces: there may be many. */
export async function freeDependents(ctx: MutationCtx, job: Doc<"jobs">): Promise<void> {
  const one = await ctx.db
    .query("dependencies")
    .withIndex("by_on", (q) => q.eq("on", job._id))
    .first();
  if (one !== null) await ctx.scheduler.runAfter(0, maintenance.settleDependents, { jobId: job._id });
}
