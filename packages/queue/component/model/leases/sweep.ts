import type { Doc, MutationCtx, QueryCtx } from "../builders.ts";
import { holdsAny } from "../jobs/held.ts";
import { firstOf } from "../load.ts";
import { maintenance } from "../references.ts";
import { settingsOf } from "../settings.ts";
import { horizonOf, isLate, nextLookAt } from "./times.ts";

/** The most leases that one run handles. */
const perPiece = 50;
/** In a fleet this small, reading the next deadline rarely conflicts with heartbeats. */
const fewWorkers = 8;

export type Sweep = {
  readonly scope: string;
  /** The time at which the sweep should run; ms epoch. */
  readonly due: number;
  /** Whether all workers got one more lease because the last sweep came late. */
  readonly graced: boolean;
};

/**
 * Checks a scope's leases, passes expired ones to `expireLease`, and runs again at the next deadline. Each scope has one
 * sweep: a sweep with another time than the stored one was replaced.
 */
export async function sweepLeases(ctx: MutationCtx, sweep: Sweep, now: number): Promise<void> {
  const { scope, due, graced } = sweep;
  const [row, settings] = await Promise.all([sweepOf(ctx, scope), settingsOf(ctx, scope)]);
  if (row?.nextAt !== due) return;
  if (isLate(sweep, now)) {
    await scheduleNext(ctx, row, now + settings.leaseMs, true);
    return;
  }
  // Only deadlines up to the planned time: if the backend was away, no worker is blamed for it.
  const over = await ctx.db
    .query("leases")
    .withIndex("by_deadline", (q) => q.eq("scope", scope).gte("deadline", 0).lte("deadline", due))
    .take(perPiece);
  for (const lease of over) await handleExpired(ctx, lease, now);
  if (over.length === perPiece) await scheduleNext(ctx, row, now, graced);
  else await scheduleNext(ctx, row, await nextLook(ctx, sweep, settings, now), false);
}

/** Schedules the next run. Null: no run until a worker is online. */
async function scheduleNext(
  ctx: MutationCtx,
  row: Doc<"sweeps">,
  at: number | null,
  graced: boolean,
): Promise<void> {
  await ctx.db.patch("sweeps", row._id, { nextAt: at });
  if (at === null) return;
  await ctx.scheduler.runAt(at, maintenance.sweepLeases, { scope: row.scope, due: at, graced });
}

/**
 * Extends the deadline of a worker without jobs to `offlineAfterMs`. Others get an `expireLease` of their own, so an app
 * that throws does not stop the sweep.
 */
async function handleExpired(ctx: MutationCtx, lease: Doc<"leases">, now: number): Promise<void> {
  const { _id, workerId, keyHash, lastSeenAt, leaseMs, offlineAfterMs } = lease;
  const unheard = lastSeenAt + offlineAfterMs;
  if (unheard > now && !(await holdsAny(ctx, keyHash))) {
    await ctx.db.patch("leases", _id, { deadline: unheard });
    return;
  }
  // If `expireLease` has not succeeded by then, a later sweep retries.
  await ctx.db.patch("leases", _id, { deadline: now + leaseMs });
  await ctx.scheduler.runAfter(0, maintenance.expireLease, { workerId, lastSeenAt });
}

async function nextLook(
  ctx: QueryCtx,
  { scope, due }: Sweep,
  spans: Pick<Doc<"leases">, "leaseMs" | "offlineAfterMs">,
  now: number,
): Promise<number | null> {
  const { near, far } = horizonOf(spans);
  const soon = await firstDeadline(ctx, scope, due, now + near);
  if (soon !== null) return nextLookAt(soon, spans, now);
  const online = await ctx.db
    .query("workers")
    .withIndex("by_online", (q) => q.eq("scope", scope).eq("online", true))
    .take(fewWorkers + 1);
  if (online.length === 0) return null;
  if (online.length > fewWorkers) return now + near;
  return (await firstDeadline(ctx, scope, now + near, now + far)) ?? now + far;
}

async function firstDeadline(
  ctx: QueryCtx,
  scope: string,
  after: number,
  until: number,
): Promise<number | null> {
  const lease = await ctx.db
    .query("leases")
    .withIndex("by_deadline", (q) => q.eq("scope", scope).gt("deadline", after).lte("deadline", until))
    .first();
  return lease?.deadline ?? null;
}

/** A sweep that is this late was lost. */
const brokenAfterMs = 60_000;

const healedPerRun = 100;

/** A scope's sweep; null if no worker was ever online. */
async function sweepOf(ctx: QueryCtx, scope: string): Promise<Doc<"sweeps"> | null> {
  return await firstOf(ctx.db.query("sweeps").withIndex("by_scope", (q) => q.eq("scope", scope)));
}

/**
 * Schedules a scope's sweep if none is scheduled. A lost sweep is replaced by one a lease later, because nobody's lease
 * was checked meanwhile. Costs one read if a sweep is scheduled.
 */
export async function scheduleSweep(
  ctx: MutationCtx,
  scope: string,
  spans: Pick<Doc<"leases">, "leaseMs" | "offlineAfterMs">,
  now: number,
): Promise<void> {
  const row = await sweepOf(ctx, scope);
  const due = row?.nextAt ?? null;
  if (due !== null && due > now - brokenAfterMs) return;
  const broken = due !== null;
  const nextAt = now + (broken ? spans.leaseMs : horizonOf(spans).far);
  if (row === null) await ctx.db.insert("sweeps", { scope, nextAt });
  else await ctx.db.patch("sweeps", row._id, { nextAt });
  await ctx.scheduler.runAt(nextAt, maintenance.sweepLeases, { scope, due: nextAt, graced: broken });
}

/** Replaces lost sweeps. Does not read the row of a scheduled sweep. */
export async function healSweeps(ctx: MutationCtx, now: number): Promise<void> {
  const broken = await ctx.db
    .query("sweeps")
    // Sweeps without a time sort first.
    .withIndex("by_next", (q) => q.gte("nextAt", 0).lte("nextAt", now - brokenAfterMs))
    .take(healedPerRun);
  for (const { scope } of broken) await scheduleSweep(ctx, scope, await settingsOf(ctx, scope), now);
}
