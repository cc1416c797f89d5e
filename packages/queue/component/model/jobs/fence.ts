import type { Doc, QueryCtx } from "../../builders.ts";
import { idOf } from "../load.ts";
import { present } from "../refuse.ts";

export type Held = { readonly attempt: Doc<"attempts">; readonly job: Doc<"jobs"> };

/** An attempt by its id as a worker names it. One read, beside the worker's own. */
export async function attemptOf(ctx: QueryCtx, attemptId: string): Promise<Doc<"attempts"> | null> {
  const id = idOf(ctx, "attempts", attemptId);
  return id === null ? null : await ctx.db.get("attempts", id);
}

/**
 * Lets a worker through that still holds the attempt: its own, open, and the job's current one. Null is "fenced",
 * whatever the cause, another worker's attempt included: it learns nothing.
 */
export async function passFence(
  ctx: QueryCtx,
  worker: Doc<"workers">,
  attempt: Doc<"attempts"> | null,
): Promise<Held | null> {
  if (attempt?.workerId !== worker._id || !attempt.open) return null;
  const job = present(await ctx.db.get("jobs", attempt.jobId), "job of an open attempt");
  return job.currentAttemptId === attempt._id ? { attempt, job } : null;
}

/** Those of a list of attempts that the worker still holds, and the ids of the others. */
export async function passFences(
  ctx: QueryCtx,
  worker: Doc<"workers">,
  attempts: readonly { readonly attemptId: string; readonly attempt: Doc<"attempts"> | null }[],
): Promise<{ readonly held: readonly Held[]; readonly fenced: string[] }> {
  const passed = await Promise.all(
    attempts.map(async ({ attemptId, attempt }) => ({
      attemptId,
      held: await passFence(ctx, worker, attempt),
    })),
  );
  return {
    held: passed.flatMap(({ held }) => (held === null ? [] : [held])),
    fenced: passed.flatMap(({ attemptId, held }) => (held === null ? [attemptId] : [])),
  };
}
