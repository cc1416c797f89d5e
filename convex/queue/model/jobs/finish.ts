import type { FunctionHandle } from "convex/server";
import type { Value } from "convex/values";
import type { Doc, MutationCtx } from "../../builders.ts";
import type { FinalEvent } from "../../validators.ts";
import { noteEnd } from "../batches/noteEnd.ts";
import { freeDependents } from "../dependencies/freeDependents.ts";
import { freeTurns } from "../limits/freeTurns.ts";
import { maintenance } from "../references.ts";
import { present } from "../refuse.ts";
import { policyOf, settingsOf } from "../settings.ts";

/** What belongs to a job's end, whatever its end: the app's own part, what waited for it, and how long it is kept. */
export async function finish(ctx: MutationCtx, job: Doc<"jobs">, now: number): Promise<Doc<"jobs">> {
  const policy = policyOf(await settingsOf(ctx, job.scope), job.policy);
  const reply = await callBack(ctx, job);
  await ctx.db.patch("jobs", job._id, {
    finishedAt: now,
    purgeAt: now + policy.payloadKeptMs,
    forgetAt: now + policy.recordKeptMs,
    ...(reply === undefined ? {} : { reply }),
  });
  if (reply !== undefined && job.currentAttemptId !== undefined) {
    await ctx.db.patch("attempts", job.currentAttemptId, { reply });
  }
  await noteEnd(ctx, job);
  await freeDependents(ctx, job);
  await freeTurns(ctx, job);
  if (job.watched)
    await ctx.scheduler.runAfter(policy.chunksKeptMs, maintenance.deleteChunks, { jobId: job._id });
  return present(await ctx.db.get("jobs", job._id), "final job");
}

/** Calls the app, in this transaction: what it throws undoes the end. */
async function callBack(ctx: MutationCtx, job: Doc<"jobs">): Promise<Value | undefined> {
  if (job.onFinal === undefined) return undefined;
  const handle = job.onFinal as FunctionHandle<"mutation", FinalEvent, Value | undefined>;
  return (await ctx.runMutation(handle, await eventOf(ctx, job))) ?? undefined;
}

async function eventOf(ctx: MutationCtx, job: Doc<"jobs">): Promise<FinalEvent> {
  const attempt =
    job.currentAttemptId === undefined ? null : await ctx.db.get("attempts", job.currentAttemptId);
  const worker = attempt === null ? null : await ctx.db.get("workers", attempt.workerId);
  return {
    scope: job.scope,
    jobId: job._id,
    kind: job.kind,
    round: job.round,
    outcome: job.status as FinalEvent["outcome"],
    worker: worker === null ? null : (worker.externalId ?? worker._id),
    attemptId: attempt?._id ?? null,
    error: job.error ?? null,
    ...(job.report === undefined ? {} : { report: job.report }),
    ...(job.context === undefined ? {} : { context: job.context }),
  };
}
