import type { Doc, MutationCtx } from "../../builders.ts";
import { maintenance } from "../references.ts";
import { move } from "./move.ts";
import { termsOf } from "./turns.ts";

/** What a waiting job waited for has come: it is ready, or waits for its turn where its requester or key is limited. */
export async function wake(ctx: MutationCtx, job: Doc<"jobs">, now: number): Promise<void> {
  const { turnOf } = await termsOf(ctx, job.scope, job);
  const name = turnOf === null ? undefined : job[turnOf];
  if (turnOf === null || name === undefined) {
    await move(ctx, job, { kind: "wake" }, now);
    return;
  }
  await ctx.db.patch("jobs", job._id, { waitsFor: "turn", turnOf, dueAt: undefined });
  await ctx.scheduler.runAfter(0, maintenance.admit, { scope: job.scope, of: turnOf, name });
}
