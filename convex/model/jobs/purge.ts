import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";

const jobsPerBatch = 20;
const chunksPerBatch = 100;

/**
 * Deletes the prompts and answers of jobs whose time has come; the record of the job stays.
 * @returns whether more is left.
 */
export async function purgeBatch(ctx: MutationCtx, now: number): Promise<boolean> {
  const due = await ctx.db
    .query("jobs")
    .withIndex("by_purge", (q) => q.gt("purgeAt", 0).lte("purgeAt", now))
    .take(jobsPerBatch);
  for (const { _id: jobId } of due) {
    const payload = await ctx.db
      .query("payloads")
      .withIndex("by_job", (q) => q.eq("jobId", jobId))
      .unique();
    if (payload !== null) await ctx.db.delete("payloads", payload._id);
    const result = await ctx.db
      .query("results")
      .withIndex("by_job", (q) => q.eq("jobId", jobId))
      .unique();
    if (result !== null) await ctx.db.delete("results", result._id);
    // A short prompt could be guessed from its hash.
    await ctx.db.patch("jobs", jobId, { purgeAt: undefined, fingerprint: undefined });
  }
  return due.length === jobsPerBatch;
}

/** Deletes streamed text of a final job, all attempts'. @returns whether more is left. */
export async function deleteChunkBatch(ctx: MutationCtx, jobId: Id<"jobs">): Promise<boolean> {
  const chunks = await ctx.db
    .query("chunks")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .take(chunksPerBatch);
  for (const chunk of chunks) await ctx.db.delete("chunks", chunk._id);
  return chunks.length === chunksPerBatch;
}
