import { stream } from "convex-helpers/server/stream";
import type { MutationCtx } from "../../builders.ts";
import schema from "../../schema.ts";
import { stepAlone } from "../jobs/stepAlone.ts";
import { maintenance } from "../references.ts";

export type MassRevival = {
  readonly scope: string;
  readonly kind: string | null;
  readonly status: "failed" | "expired";
  readonly cursor: string | null;
  /** Ends that come later are left alone: a revived job may fail again meanwhile; ms epoch. */
  readonly before: number;
};

const perPiece = 50;

/**
 * Revives a piece of a scope's dead letters, and has the rest scheduled. What cannot be revived, since the scope has too
 * many lanes, stays dead.
 * @returns how many it revived, and whether more are looked at later.
 */
export async function reviveMany(
  ctx: MutationCtx,
  which: MassRevival,
): Promise<{ started: number; more: boolean }> {
  const { scope, kind, status, cursor, before } = which;
  const { page, isDone, continueCursor } = await stream(ctx.db, schema)
    .query("jobs")
    .withIndex("by_status", (q) => q.eq("scope", scope).eq("status", status))
    .order("desc")
    .paginate({ cursor, numItems: perPiece });
  let started = 0;
  for (const job of page) {
    if ((kind !== null && job.kind !== kind) || (job.finishedAt ?? 0) > before) continue;
    if (job.purgeAt === undefined) continue;
    if (await stepAlone(ctx, { kind: "revive", jobId: job._id })) started += 1;
  }
  const more = !isDone || status === "failed";
  if (more) {
    const next = isDone ? { status: "expired" as const, cursor: null } : { status, cursor: continueCursor };
    await ctx.scheduler.runAfter(0, maintenance.reviveMany, { scope, kind, before, ...next });
  }
  return { started, more };
}
