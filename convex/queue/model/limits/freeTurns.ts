import type { Doc, MutationCtx } from "../../builders.ts";
import { maintenance } from "../references.ts";
import { limitOf } from "./limitOf.ts";

/** A job's end frees its turn, where its requester or its key is limited. */
export async function freeTurns(ctx: MutationCtx, job: Doc<"jobs">): Promise<void> {
  for (const of of ["requester", "key"] as const) {
    const name = job[of];
    if (name === undefined) continue;
    const limit = await limitOf(ctx, job.scope, of, name);
    if (limit?.concurrency === undefined) continue;
    await ctx.scheduler.runAfter(0, maintenance.admit, { scope: job.scope, of, name });
  }
}
