import type { Id, MutationCtx } from "../../builders.ts";
import { payloadOf, resultOf } from "./rows.ts";

const perPiece = 50;

/** Deletes what final jobs were about, once its time has come; their records stay. @returns whether more is left. */
export async function purgePiece(ctx: MutationCtx, now: number): Promise<boolean> {
  const due = await ctx.db
    .query("jobs")
    .withIndex("by_purge", (q) => q.gt("purgeAt", 0).lte("purgeAt", now))
    .take(perPiece);
  for (const { _id } of due) await deleteBodies(ctx, _id);
  return due.length === perPiece;
}

/** Deletes a final job's payload and result, and what could be guessed from: a short payload has its hash in it. */
export async function deleteBodies(ctx: MutationCtx, jobId: Id<"jobs">): Promise<void> {
  const [payload, result] = await Promise.all([payloadOf(ctx, jobId), resultOf(ctx, jobId)]);
  if (payload !== null) await ctx.db.delete("payloads", payload._id);
  if (result !== null) await ctx.db.delete("results", result._id);
  await ctx.db.patch("jobs", jobId, { purgeAt: undefined, fingerprint: undefined });
}
