import type { Doc, MutationCtx } from "../../builders.ts";
import { maintenance } from "../references.ts";
import { limitOf } from "./limitOf.ts";
import type { LimitedBy } from "./turns.ts";

/** A job that had its turn and has it no longer makes room, where its requester or its key is limited. */
export async function freeTurns(ctx: MutationCtx, job: Doc<"jobs">): Promise<void> {
  await Promise.all([freeOne(ctx, job, "requester"), freeOne(ctx, job, "key")]);
}

async function freeOne(ctx: MutationCtx, job: Doc<"jobs">, of: LimitedBy): Promise<void> {
  const name = job[of];
  if (name === undefined) return;
  const limit = await limitOf(ctx, job.scope, of, name);
  if (limit?.concurrency === undefined) return;
  await ctx.scheduler.runAfter(0, maintenance.admit, { scope: job.scope, of, name });
}
