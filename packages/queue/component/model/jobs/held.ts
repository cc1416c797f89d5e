import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { maxHeld } from "../capabilities.ts";
import { firstOf, idOf } from "../load.ts";
import { present, refuse } from "../refuse.ts";

/** The attempts that the worker with this key holds, started or not. One read, in parallel with the worker's row. */
export async function heldByKey(ctx: QueryCtx, keyHash: string): Promise<Doc<"attempts">[]> {
  return await ctx.db
    .query("attempts")
    .withIndex("by_key", (q) => q.eq("keyHash", keyHash).eq("open", true))
    .take(maxHeld);
}

/** Whether the worker holds any attempt. Reads only the first one. */
export async function holdsAny(ctx: QueryCtx, keyHash: string): Promise<boolean> {
  const first = await firstOf(
    ctx.db.query("attempts").withIndex("by_key", (q) => q.eq("keyHash", keyHash).eq("open", true)),
  );
  return first !== null;
}

export type Held = { readonly attempt: Doc<"attempts">; readonly job: Doc<"jobs"> };

/** An attempt by the id that a worker sent. One read, in parallel with the worker's row. */
export async function attemptById(ctx: QueryCtx, attemptId: string): Promise<Doc<"attempts"> | null> {
  const id = idOf(ctx, "attempts", attemptId);
  return id === null ? null : await ctx.db.get("attempts", id);
}

/**
 * Checks that the worker still holds the attempt: it is the worker's own, open, and the job's current or second attempt.
 * Null means "fenced", for any reason, so a worker learns nothing about other workers' attempts.
 */
export async function passFence(
  ctx: QueryCtx,
  worker: Doc<"workers">,
  attempt: Doc<"attempts"> | null,
): Promise<Held | null> {
  if (attempt?.workerId !== worker._id || !attempt.open) return null;
  const job = present(await ctx.db.get("jobs", attempt.jobId), "job of an open attempt");
  return holds(job, attempt._id) ? { attempt, job } : null;
}

/** Whether this attempt, maybe beside another one, is what the job is held by. */
export function holds(
  { currentAttemptId, secondAttemptId }: Doc<"jobs">,
  attemptId: Id<"attempts">,
): boolean {
  return currentAttemptId === attemptId || secondAttemptId === attemptId;
}

/** The attempts that the worker still holds, and the ids of the others. */
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

const maxNamed = 64;

/** The attempts with the ids that a worker sent, read in parallel with the worker's row. */
export async function attemptsById(
  ctx: MutationCtx,
  ids: readonly string[],
): Promise<readonly { readonly attemptId: string; readonly attempt: Doc<"attempts"> | null }[]> {
  if (ids.length > maxNamed) refuse("invalid", `A call names at most ${String(maxNamed)} attempts.`);
  const unique = [...new Set(ids)];
  return await Promise.all(
    unique.map(async (attemptId) => ({ attemptId, attempt: await attemptById(ctx, attemptId) })),
  );
}
