import { type Infer, v } from "convex/values";
import { anything, jobError, jobStatus } from "../../../shared/validators.ts";
import type { Doc, Id, QueryCtx } from "../builders.ts";
import { resultOf } from "../jobs/rows.ts";
import { defined, idOf } from "../load.ts";
import { chunksAfter } from "./chunks.ts";

/** The reader's position: the last chunk that it has. */
export const watchPosition = v.object({ attemptId: v.string(), seq: v.number() });

export const watchView = v.object({
  status: jobStatus,
  /** The number of the current attempt; 0 without one. */
  attempt: v.number(),
  attemptId: v.union(v.string(), v.null()),
  /** Chunks of the current attempt after the position. The reader gets further ones with a later position. */
  chunks: v.array(v.object({ seq: v.number(), text: v.string(), data: v.optional(v.array(anything)) })),
  attempts: v.number(),
  submittedAt: v.number(),
  /** The time at which a worker first started it; null before that. */
  startedAt: v.union(v.number(), v.null()),
  /** The result if the job succeeded; null after it was deleted. */
  result: v.optional(anything),
  report: v.optional(anything),
  error: v.union(jobError, v.null()),
});

/** A job as its reader sees it. If the attempt has changed, the text starts from the beginning. */
export async function watch(
  ctx: QueryCtx,
  job: Doc<"jobs">,
  after: Infer<typeof watchPosition> | undefined,
): Promise<Infer<typeof watchView>> {
  const attemptId = job.currentAttemptId ?? null;
  const from = after !== undefined && idOf(ctx, "attempts", after.attemptId) === attemptId ? after.seq : -1;
  const [chunks, result] = await Promise.all([
    job.watched && attemptId !== null ? chunksAfter(ctx, attemptId, from) : [],
    resultOf(ctx, job),
  ]);
  return {
    status: job.status,
    attempt: attemptId === null ? 0 : await numberOf(ctx, job, attemptId),
    attemptId,
    chunks,
    attempts: job.attempts,
    submittedAt: job.submittedAt,
    startedAt: job.startedAt ?? null,
    error: job.error ?? null,
    ...(job.status === "succeeded" ? { result: result?.result ?? null } : {}),
    ...defined({ report: job.report }),
  };
}

/** The number of the current attempt: the last one's, but a second attempt may have come later. */
async function numberOf(ctx: QueryCtx, job: Doc<"jobs">, attemptId: Id<"attempts">): Promise<number> {
  if (job.secondAttempts === undefined) return job.attempts;
  return (await ctx.db.get("attempts", attemptId))?.number ?? job.attempts;
}
