import type { Value } from "convex/values";
import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { firstOf } from "../load.ts";

/** A job's payload; null after it was purged. */
export async function payloadOf(ctx: QueryCtx, jobId: Id<"jobs">): Promise<Doc<"payloads"> | null> {
  return await firstOf(ctx.db.query("payloads").withIndex("by_job", (q) => q.eq("jobId", jobId)));
}

/** The waiting worker that a job is handed to, and the data that it needs. */
export type HandedTo = Required<Pick<Doc<"payloads">, "handedTo" | "handedAt" | "handed">>;

/** @param to null: the job waits for a worker. */
export async function insertPayload(
  ctx: MutationCtx,
  jobId: Id<"jobs">,
  payload: Value,
  to: HandedTo | null,
): Promise<void> {
  await ctx.db.insert("payloads", { jobId, payload, ...to });
}

/** The newest job that a worker was handed, whether it is still open or not. One read. */
export async function newestHanded(ctx: QueryCtx, keyHash: string): Promise<Doc<"payloads"> | null> {
  return await firstOf(
    ctx.db
      .query("payloads")
      .withIndex("by_handed", (q) => q.eq("handedTo", keyHash).gt("handedAt", 0))
      .order("desc"),
  );
}

/** A worker that may not have seen the job that it was handed must not begin it anymore. */
export async function takeBack(
  ctx: MutationCtx,
  { jobId, _id: attemptId }: Pick<Doc<"attempts">, "jobId" | "_id">,
): Promise<void> {
  const row = await payloadOf(ctx, jobId);
  if (row?.handed?.attemptId !== attemptId) return;
  await ctx.db.patch("payloads", row._id, { handedTo: undefined, handedAt: undefined, handed: undefined });
}
