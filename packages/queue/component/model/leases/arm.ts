import type { Doc, MutationCtx, QueryCtx } from "../../builders.ts";
import { onlyOf } from "../onlyOf.ts";
import { maintenance } from "../references.ts";
import { settingsOf } from "../settings.ts";
import { horizonOf } from "./times.ts";

/** A sweep that should have been so long ago does not come any more. */
const brokenAfterMs = 60_000;
const healedPerRun = 100;

/** A scope's sweep; null where nobody has ever been online. */
export async function sweepOf(ctx: QueryCtx, scope: string): Promise<Doc<"sweeps"> | null> {
  return await onlyOf(ctx.db.query("sweeps").withIndex("by_scope", (q) => q.eq("scope", scope)));
}

/**
 * Has the scope's leases looked after from now on, where they are not. In the place of a sweep that does not come any
 * more: a lease from now, since nobody was looked after meanwhile. One read, where it goes on.
 */
export async function armSweep(
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
  for (const { scope } of broken) await armSweep(ctx, scope, await settingsOf(ctx, scope), now);
}
