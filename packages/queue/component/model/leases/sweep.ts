import type { Doc, MutationCtx, QueryCtx } from "../../builders.ts";
import { holdsAny } from "../jobs/held.ts";
import { firstOf } from "../load.ts";
import { maintenance } from "../references.ts";
import { settingsOf } from "../settings.ts";
import { horizonOf, isLate, nextLookAt } from "./times.ts";

/** Leases that one run takes. */
const perPiece = 50;
/** A fleet so small that reading its next deadline hardly ever collides with its heartbeats. */
const fewWorkers = 8;

export type Sweep = {
  readonly scope: string;
  /** When it should have run. */
  readonly due: number;
  /** Whether everybody was given one more lease because the last one came late. */
  readonly graced: boolean;
};

/**
 * Looks after a scope's leases: hands over those that ran out to `lapse`, and comes again at the next deadline. One
 * sweep per scope is under way: one whose time is not the noted one was replaced.
 */
export async function sweepLeases(ctx: MutationCtx, sweep: Sweep, now: number): Promise<void> {
  const { scope, due, graced } = sweep;
  const [row, settings] = await Promise.all([sweepOf(ctx, scope), settingsOf(ctx, scope)]);
  if (row?.nextAt !== due) return;
  if (isLate(sweep, now)) {
    await scheduleNext(ctx, row, now + settings.leaseMs, true);
    return;
  }
  // Up to when it was due, not to now: a backend that was away for a moment blames nobody for it.
  const over = await ctx.db
    .query("leases")
    .withIndex("by_deadline", (q) => q.eq("scope", scope).gte("deadline", 0).lte("deadline", due))
    .take(perPiece);
  for (const lease of over) await handleExpired(ctx, lease, now);
  if (over.length === perPiece) await scheduleNext(ctx, row, now, graced);
  else await scheduleNext(ctx, row, await nextLook(ctx, sweep, settings, now), false);
}

/** Comes again at a time; null: rests until somebody is online. */
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
 * One that holds nothing any more gets the long deadline that its last call left out. Any other goes to a transaction
 * of its own: what an app throws there when a job ends must not keep the sweep from the others.
 */
async function handleExpired(ctx: MutationCtx, lease: Doc<"leases">, now: number): Promise<void> {
  const { _id, workerId, keyHash, lastSeenAt, leaseMs, offlineAfterMs } = lease;
  const unheard = lastSeenAt + offlineAfterMs;
  if (unheard > now && !(await holdsAny(ctx, keyHash))) {
    await ctx.db.patch("leases", _id, { deadline: unheard });
    return;
  }
  // Until then it is dealt with, or it is tried again.
  await ctx.db.patch("leases", _id, { deadline: now + leaseMs });
  await ctx.scheduler.runAfter(0, maintenance.lapse, { workerId, lastSeenAt });
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

/** A sweep that should have been so long ago does not come any more. */
const brokenAfterMs = 60_000;

const healedPerRun = 100;

/** A scope's sweep; null where nobody has ever been online. */
async function sweepOf(ctx: QueryCtx, scope: string): Promise<Doc<"sweeps"> | null> {
  return await firstOf(ctx.db.query("sweeps").withIndex("by_scope", (q) => q.eq("scope", scope)));
}

/**
 * Has the scope's leases looked after from now on, where they are not. In the place of a sweep that does not come any
 * more: a lease from now, since nobody was looked after meanwhile. One read, where it goes on.
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

/** Begins sweeps anew that do not come any more. Reads no row of one that goes on. */
export async function healSweeps(ctx: MutationCtx, now: number): Promise<void> {
  const broken = await ctx.db
    .query("sweeps")
    // Those that rest sort before all that have a time.
    .withIndex("by_next", (q) => q.gte("nextAt", 0).lte("nextAt", now - brokenAfterMs))
    .take(healedPerRun);
  for (const { scope } of broken) await scheduleSweep(ctx, scope, await settingsOf(ctx, scope), now);
}
