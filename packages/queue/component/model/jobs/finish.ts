import type { FunctionHandle } from "convex/server";
import type { Value } from "convex/values";
import type { FinalEvent } from "../../../shared/validators.ts";
import { noteEnd } from "../batches/fold.ts";
import type { Doc, FinalJob, Id, MutationCtx } from "../builders.ts";
import { defined, findOwned, firstOf } from "../load.ts";
import { maintenance } from "../references.ts";
import { refuse } from "../refuse.ts";
import { type keptTimes, settingsOf } from "../settings.ts";
import { countReturns } from "./returns.ts";
import { releaseTurns } from "./turns.ts";

/** When a job ended, and how long it is kept. */
export async function endedFrom(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  now: number,
): Promise<Required<Pick<Doc<"jobs">, "finishedAt" | "purgeAt" | "forgetAt">>> {
  const payloadMs = await keptMs(ctx, job, "payloadKeptMs");
  const recordMs = await keptMs(ctx, job, "recordKeptMs");
  return { finishedAt: now, purgeAt: now + payloadMs, forgetAt: now + recordMs };
}

const maxKeptTogether = 100;

/**
 * Keeps the payloads and results of ended jobs as if they had ended at another time, if that is later. Refuses: invalid.
 * @returns the ended jobs whose payloads and results are deleted already.
 */
export async function keepFrom(
  ctx: MutationCtx,
  scope: string,
  jobIds: readonly string[],
  from: number,
): Promise<string[]> {
  if (jobIds.length > maxKeptTogether)
    refuse("invalid", `jobIds may have at most ${String(maxKeptTogether)} ids.`);
  const deleted = await Promise.all(
    jobIds.map(async (jobId) => {
      const job = await findOwned(ctx, "jobs", scope, jobId);
      if (job?.finishedAt === undefined) return [];
      if (job.purgeAt === undefined) return [jobId];
      const purgeAt = from + (await keptMs(ctx, job, "payloadKeptMs"));
      if (purgeAt > job.purgeAt) await ctx.db.patch("jobs", job._id, { purgeAt });
      return [];
    }),
  );
  return deleted.flat();
}

/** How long a part of a job is kept. Jobs carry it since their submission, except those of earlier versions. */
async function keptMs(
  ctx: MutationCtx,
  { scope, policy }: Doc<"jobs">,
  part: keyof ReturnType<typeof keptTimes>,
): Promise<number> {
  return policy?.[part] ?? (await settingsOf(ctx, scope)).policy[part];
}

/**
 * Completes the end of a job, whatever the outcome: the app's `onFinal`, the batch and the dependents. Reads in three
 * stages.
 * @param hadTurn whether the job counted against limits until now.
 * @param ended the attempt that ended the job, if the caller has read it.
 * @param outrun the attempt of another worker that had the job at the same time; null if there was none.
 */
export async function finish(
  ctx: MutationCtx,
  job: FinalJob,
  now: number,
  {
    hadTurn,
    ended,
    outrun,
  }: {
    readonly hadTurn: boolean;
    readonly ended: Doc<"attempts"> | null;
    readonly outrun: Doc<"attempts"> | null;
  },
): Promise<Doc<"jobs">> {
  const event = job.onFinal === undefined ? null : await eventOf(ctx, job, { ended, outrun }, now);
  const reply = event === null ? undefined : await callBack(ctx, job.onFinal, event);
  if (reply !== undefined) {
    await ctx.db.patch("jobs", job._id, { reply });
    if (job.currentAttemptId !== undefined) await ctx.db.patch("attempts", job.currentAttemptId, { reply });
    if (outrun !== null) await ctx.db.patch("attempts", outrun._id, { reply });
  }
  await Promise.all([
    noteEnd(ctx, job),
    notifyDependents(ctx, job),
    ...(hadTurn ? [releaseTurns(ctx, job)] : []),
  ]);
  if (job.watched) {
    const chunksMs = await keptMs(ctx, job, "chunksKeptMs");
    await ctx.scheduler.runAfter(chunksMs, maintenance.deleteChunks, { jobId: job._id });
  }
  return { ...job, ...defined({ reply }) };
}

/** Calls the app in this transaction. If the app throws, the end is undone. */
async function callBack(
  ctx: MutationCtx,
  onFinal: string | undefined,
  event: FinalEvent,
): Promise<Value | undefined> {
  const handle = onFinal as FunctionHandle<"mutation", FinalEvent, Value | undefined>;
  return (await ctx.runMutation(handle, event)) ?? undefined;
}

async function eventOf(
  ctx: MutationCtx,
  job: FinalJob,
  { ended, outrun }: { readonly ended: Doc<"attempts"> | null; readonly outrun: Doc<"attempts"> | null },
  now: number,
): Promise<FinalEvent> {
  const { currentAttemptId: id } = job;
  // The end changes nothing of an attempt that the event tells.
  const attempt = id === undefined ? null : ended?._id === id ? ended : await ctx.db.get("attempts", id);
  return {
    scope: job.scope,
    jobId: job._id,
    kind: job.kind,
    round: job.round,
    outcome: job.status,
    worker: attempt === null ? null : await nameOf(ctx, attempt.workerId),
    attemptId: attempt?._id ?? null,
    ...(attempt === null ? {} : { heldMs: now - attempt.claimedAt }),
    failures: job.failures,
    returns: countReturns(job),
    ...(outrun === null ? {} : { outrun: await outrunBy(ctx, job, outrun, now) }),
    error: job.error ?? null,
    ...(job.report === undefined ? {} : { report: job.report }),
    ...(job.context === undefined ? {} : { context: job.context }),
  };
}

/** @param outrun as it was before the end. The current attempt is the one that ended the job. */
async function outrunBy(
  ctx: MutationCtx,
  job: FinalJob,
  outrun: Doc<"attempts">,
  now: number,
): Promise<NonNullable<FinalEvent["outrun"]>> {
  return {
    worker: (await nameOf(ctx, outrun.workerId)) ?? outrun.workerId,
    attemptId: outrun._id,
    heldMs: now - outrun.claimedAt,
    slow: wasSlow(job, outrun),
  };
}

/** Whether the outrun attempt is the one that took too long. A second attempt is the job's last one. */
export function wasSlow(job: Pick<Doc<"jobs">, "attempts">, outrun: Doc<"attempts">): boolean {
  return outrun.number < job.attempts;
}

/** The app's name of a worker; null after its row was deleted. */
async function nameOf(ctx: MutationCtx, workerId: Id<"workers">): Promise<string | null> {
  const worker = await ctx.db.get("workers", workerId);
  return worker === null ? null : (worker.externalId ?? worker._id);
}

/**
 * Schedules the notification of the jobs that depend on this one. There may be many, so it runs in pieces. Most jobs have none,
 * and say so.
 */
async function notifyDependents(ctx: MutationCtx, job: Doc<"jobs">): Promise<void> {
  if (job.hasDependents === false) return;
  const one = await firstOf(ctx.db.query("dependencies").withIndex("by_on", (q) => q.eq("on", job._id)));
  if (one !== null) await ctx.scheduler.runAfter(0, maintenance.settleDependents, { jobId: job._id });
}
