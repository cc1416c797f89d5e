import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { finishReason, jobStatus, usage } from "../validators.ts";

/** Where a watcher stands: the last chunk that it has. */
export const watchPosition = v.object({ attemptId: v.id("attempts"), seq: v.number() });

export const watchView = v.object({
  status: jobStatus,
  /** The number of the current attempt, 0 while there is none. */
  attempt: v.number(),
  attemptId: v.union(v.id("attempts"), v.null()),
  /** Chunks of the current attempt after the position; the next of them come with a later position. */
  chunks: v.array(v.object({ seq: v.number(), text: v.string() })),
  attempts: v.number(),
  result: v.union(v.object({ text: v.string(), finishReason, usage }), v.null()),
  error: v.union(v.object({ code: v.string(), message: v.string() }), v.null()),
});

/** One answer carries about this much text; a watcher far behind asks again from where it stands. */
const maxChars = 256 * 1024;
const maxChunks = 1_000;

/** A job as its requester sees it. Another attempt than the position's: its text from the start. */
export async function watch(
  ctx: QueryCtx,
  job: Doc<"jobs">,
  after: Infer<typeof watchPosition> | undefined,
): Promise<Infer<typeof watchView>> {
  const attemptId = job.currentAttemptId ?? null;
  return {
    status: job.status,
    attempt: attemptId === null ? 0 : job.attempts,
    attemptId,
    chunks: job.watched && attemptId !== null ? await chunksAfter(ctx, attemptId, after) : [],
    attempts: job.attempts,
    result: job.status === "succeeded" ? await resultOf(ctx, job) : null,
    error: job.error ?? null,
  };
}

async function chunksAfter(
  ctx: QueryCtx,
  attemptId: Id<"attempts">,
  after: Infer<typeof watchPosition> | undefined,
): Promise<{ seq: number; text: string }[]> {
  const from = after?.attemptId === attemptId ? after.seq : -1;
  const chunks: { seq: number; text: string }[] = [];
  let chars = 0;
  const rows = ctx.db
    .query("chunks")
    .withIndex("by_attempt", (q) => q.eq("attemptId", attemptId).gt("seq", from));
  for await (const { seq, text } of rows) {
    chunks.push({ seq, text });
    chars += text.length;
    if (chars >= maxChars || chunks.length >= maxChunks) break;
  }
  return chunks;
}

/** Null once the text was deleted: answers are not kept for long. */
async function resultOf(ctx: QueryCtx, job: Doc<"jobs">): Promise<Infer<typeof watchView>["result"]> {
  const row = await ctx.db
    .query("results")
    .withIndex("by_job", (q) => q.eq("jobId", job._id))
    .unique();
  if (row === null || job.usage === undefined) return null;
  return { text: row.text, finishReason: row.finishReason, usage: job.usage };
}
