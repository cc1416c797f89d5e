import type { ObjectType } from "convex/values";
import { stream } from "convex-helpers/server/stream";
import type { Doc, MutationCtx } from "../builders.ts";
import { move } from "../jobs/move.ts";
import { isDeadLetter } from "../jobs/states.ts";
import { scheduleAdmit, termsOf } from "../jobs/turns.ts";
import { firstWait, isDependent } from "../jobs/waiting.ts";
import { findLanes, openLanes } from "../lanes/lanesFor.ts";
import { laneName } from "../lanes/requirements.ts";
import { maintenance, type taskArgs } from "../references.ts";
import { present } from "../refuse.ts";
import { schema } from "../schema.ts";
import { runStep } from "../tryAgain.ts";
import { isChecked, scheduleExpiry } from "./expire.ts";

export type RetryOutcome =
  { readonly kind: "ready" } | { readonly kind: "gone" } | { readonly kind: "not-dead" };

/**
 * Retries a dead letter. Its attempts stay, its failures restart at 0, and its time limits are replaced. A job that
 * expired while it waited for other jobs waits for them again. `gone`: its payload was deleted, also because a job that
 * it needed did not succeed.
 * @param limits.deadlineAt when the job expires in its new round, ms epoch. Without it there is no limit.
 */
export async function retryDeadLetter(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  now: number,
  { deadlineAt }: { readonly deadlineAt?: number | undefined } = {},
): Promise<RetryOutcome> {
  if (!isDeadLetter(job.status)) return { kind: "not-dead" };
  // `purgeAt` is cleared with the payload. Reading the payloads of many jobs would be too much.
  if (job.purgeAt === undefined) return { kind: "gone" };
  const [laneId, terms, dependent] = await Promise.all([
    openLaneOf(ctx, job, now),
    termsOf(ctx, job.scope, job),
    isDependent(ctx, job._id),
  ]);
  // A job with dependencies gets its turn after they end.
  const turnOf = dependent ? null : terms.turnOf;
  await ctx.db.patch("jobs", job._id, {
    laneId,
    unfit: undefined,
    failuresByJob: undefined,
    failedBy: undefined,
    returnedBy: undefined,
    verdicts: undefined,
    secondAttempts: undefined,
    error: undefined,
    report: undefined,
    reply: undefined,
    expiresAt: undefined,
    deadlineAt,
    runsOutAt: deadlineAt !== undefined && isChecked(deadlineAt, now) ? deadlineAt : undefined,
    // The reader has seen the job's end. The next reader starts from the beginning.
    watched: false,
    watchedUntil: undefined,
  });
  const cleared = present(await ctx.db.get("jobs", job._id), "dead letter");
  const waitsFor = firstWait({ delayed: false, dependent, limited: turnOf !== null });
  const waiting = waitsFor === null ? {} : { waitsFor, ...(turnOf === null ? {} : { turnOf }) };
  await move(ctx, cleared, { kind: "retry", waits: waitsFor !== null }, now, {
    job: { round: job.round + 1, failures: 0, ...waiting },
  });
  await scheduleAdmit(ctx, job.scope, turnOf, job);
  await scheduleExpiry(ctx, job._id, { end: deadlineAt ?? null, now });
  return { kind: "ready" };
}

/** The lane may have been deleted meanwhile. */
async function openLaneOf(ctx: MutationCtx, job: Doc<"jobs">, now: number): Promise<Doc<"lanes">["_id"]> {
  const { scope, kind, requirements = {} } = job;
  const lane = await ctx.db.get("lanes", job.laneId);
  const name = lane?.name ?? laneName(kind, requirements);
  const found = lane === null ? await findLanes(ctx, scope, [name]) : new Map([[name, lane]]);
  const open = await openLanes(ctx, scope, [{ name, kind, requirements, priority: job.level }], found, now);
  return present(open.get(name), "lane").laneId;
}

/** `before`: jobs that ended after this time (ms epoch) are not retried, since a retried job may fail again. */
type MassRetry = ObjectType<typeof taskArgs.retryMany>;

const perPiece = 50;

/**
 * Retries some of a scope's dead letters, and schedules the rest. If the scope has too many lanes, the others stay dead
 * letters.
 * @returns how many were retried, and whether more follow later.
 */
export async function retryDeadLetters(
  ctx: MutationCtx,
  which: MassRetry,
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
    if (await runStep(ctx, { kind: "retry", jobId: job._id })) started += 1;
  }
  const more = !isDone || status === "failed";
  if (more) {
    const next = isDone ? { status: "expired" as const, cursor: null } : { status, cursor: continueCursor };
    await ctx.scheduler.runAfter(0, maintenance.retryMany, { scope, kind, before, ...next });
  }
  return { started, more };
}
