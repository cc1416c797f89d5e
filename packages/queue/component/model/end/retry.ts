import { stream } from "convex-helpers/server/stream";
import type { Doc, MutationCtx } from "../../builders.ts";
import schema from "../../schema.ts";
import { move } from "../jobs/move.ts";
import { isDeadLetter } from "../jobs/states.ts";
import { termsOf } from "../jobs/turns.ts";
import { firstWait, isDependent } from "../jobs/waiting.ts";
import { findLanes, openLanes } from "../lanes/lanesFor.ts";
import { laneName } from "../lanes/name.ts";
import { maintenance } from "../references.ts";
import { present } from "../refuse.ts";
import { runStep } from "../tryAgain.ts";

export type RetryOutcome =
  { readonly kind: "ready" } | { readonly kind: "gone" } | { readonly kind: "not-dead" };

/**
 * Tries a dead letter again: its attempts stay, its failures count from 0, and times that it had are no longer set. One
 * that ran out of time as it waited for other jobs waits for them again.
 * `gone`: its payload was deleted, as it is when a job that it waited for ends otherwise than it needed.
 */
export async function retryDeadLetter(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  now: number,
): Promise<RetryOutcome> {
  if (!isDeadLetter(job.status)) return { kind: "not-dead" };
  // Cleared with the payload; which is not read for it, since a piece of many would be too much.
  if (job.purgeAt === undefined) return { kind: "gone" };
  const [laneId, terms, dependent] = await Promise.all([
    laneOf(ctx, job, now),
    termsOf(ctx, job.scope, job),
    isDependent(ctx, job._id),
  ]);
  // What it still depends on sends it for its turn.
  const turnOf = dependent ? null : terms.turnOf;
  await ctx.db.patch("jobs", job._id, {
    laneId,
    unfit: undefined,
    error: undefined,
    report: undefined,
    reply: undefined,
    expiresAt: undefined,
    deadlineAt: undefined,
    // Whoever watched has seen its end; a next one starts anew.
    watched: false,
    watchedUntil: undefined,
  });
  const cleared = present(await ctx.db.get("jobs", job._id), "dead letter");
  const waitsFor = firstWait({ delayed: false, dependent, limited: turnOf !== null });
  const waiting = waitsFor === null ? {} : { waitsFor, ...(turnOf === null ? {} : { turnOf }) };
  await move(ctx, cleared, { kind: "revive", waits: waitsFor !== null }, now, {
    job: { round: job.round + 1, failures: 0, ...waiting },
  });
  const name = turnOf === null ? undefined : job[turnOf];
  if (turnOf !== null && name !== undefined) {
    await ctx.scheduler.runAfter(0, maintenance.admit, { scope: job.scope, of: turnOf, name });
  }
  return { kind: "ready" };
}

/** Its lane may have gone in the meantime. */
async function laneOf(ctx: MutationCtx, job: Doc<"jobs">, now: number): Promise<Doc<"lanes">["_id"]> {
  const { scope, kind, requirements = {} } = job;
  const lane = await ctx.db.get("lanes", job.laneId);
  const name = lane?.name ?? laneName(kind, requirements);
  const found = lane === null ? await findLanes(ctx, scope, [name]) : new Map([[name, lane]]);
  const open = await openLanes(ctx, scope, [{ name, kind, requirements, level: job.level }], found, now);
  return present(open.get(name), "lane").laneId;
}

export type MassRetry = {
  readonly scope: string;
  readonly kind: string | null;
  readonly status: "failed" | "expired";
  readonly cursor: string | null;
  /** Ends that come later are left alone: a revived job may fail again meanwhile; ms epoch. */
  readonly before: number;
};

const perPiece = 50;

/**
 * Revives a piece of a scope's dead letters, and has the rest scheduled. What cannot be revived, since the scope has too
 * many lanes, stays dead.
 * @returns how many it revived, and whether more are looked at later.
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
    if (await runStep(ctx, { kind: "revive", jobId: job._id })) started += 1;
  }
  const more = !isDone || status === "failed";
  if (more) {
    const next = isDone ? { status: "expired" as const, cursor: null } : { status, cursor: continueCursor };
    await ctx.scheduler.runAfter(0, maintenance.reviveMany, { scope, kind, before, ...next });
  }
  return { started, more };
}
