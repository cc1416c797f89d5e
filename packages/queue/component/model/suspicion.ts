import type { Doc, MutationCtx, QueryCtx } from "./builders.ts";
import { capacityOf } from "./capabilities.ts";
import { firstOf } from "./load.ts";
import { maintenance } from "./references.ts";
import { expectedMs, type Sized } from "./speed.ts";

/**
 * An attempt is suspected when it has taken this many times the expected time. The size of a job is an upper bound for most
 * jobs, so few get here: about those beyond the 95th percentile, as "The Tail at Scale" (Dean, Barroso, 2013) suggests.
 */
const suspectAfter = 1.5;
/** Jobs shorter than this are not worth a second attempt. */
const leastMs = 1_500;
/** No attempt is suspected after a longer time than this: a speed close to 0 says nothing. */
const mostMs = 24 * 3_600_000;

type Worker = Pick<Doc<"workers">, "capabilities">;

/**
 * How long an attempt may run before it is suspected, in milliseconds; null: not known.
 * @param runs how many jobs the worker runs at once. Each may be that much slower.
 */
export function toleratedMs({ capabilities }: Worker, job: Sized, runs = 1): number | null {
  const expected = expectedMs(capabilities, job);
  if (expected === null) return null;
  const working = Math.ceil(suspectAfter * expected * Math.max(1, runs));
  const tolerated = Math.max(leastMs, (job.size?.setupMs ?? 0) + working);
  return tolerated <= mostMs ? tolerated : null;
}

/**
 * When an attempt will be looked at, and when it is taken from its worker if its job has a limit (`attemptMs`). Without
 * `suspectAt`: never.
 */
export type Suspicion = { readonly suspectAt?: number; readonly overdueAt?: number };

/** An attempt may take this many times as long as until the suspicion, if that is less than its job's `attemptMs`. */
const overdueAfter = 4;
/** Overdue attempts are found when leases are checked, which is about this often. */
const leastOverdueMs = 60_000;

/** When to look whether an attempt that starts now takes too long, and when to end it. */
export function suspectFrom(
  worker: Worker,
  job: Sized & Pick<Doc<"jobs">, "policy" | "attemptMs">,
  now: number,
): Suspicion {
  const { attemptMs, policy } = job;
  const tolerated = toleratedMs(worker, job);
  if (tolerated === null) return {};
  const { running } = capacityOf(worker.capabilities);
  const longestMs = Math.max(leastOverdueMs, overdueAfter * (toleratedMs(worker, job, running) ?? Infinity));
  return {
    ...(attemptMs === undefined ? {} : { overdueAt: now + Math.min(attemptMs, longestMs) }),
    ...(policy?.secondAttempt === false ? {} : { suspectAt: now + tolerated }),
  };
}

/** A scope's next check. */
export async function checkOf(ctx: QueryCtx, scope: string): Promise<Doc<"stragglerChecks"> | null> {
  return await firstOf(ctx.db.query("stragglerChecks").withIndex("by_scope", (q) => q.eq("scope", scope)));
}

/** A check may come this much later than an attempt is suspected, or a tenth of the time until then. */
const slackMs = 250;

/**
 * Schedules the check of an attempt. Most calls find one that comes early enough, so they rarely conflict. Reads nothing
 * for an attempt that will not be looked at.
 */
export async function armCheck(
  ctx: MutationCtx,
  scope: string,
  { suspectAt }: Suspicion,
  now: number,
): Promise<void> {
  if (suspectAt === undefined) return;
  const row = await checkOf(ctx, scope);
  const latest = suspectAt + Math.max(slackMs, (suspectAt - now) / 10);
  if (row !== null && row.due > now && row.due <= latest) return;
  await scheduleCheck(ctx, scope, row, suspectAt);
}

/** Schedules a check, and notes when it comes. An earlier one still runs: it may be what another attempt relies on. */
export async function scheduleCheck(
  ctx: MutationCtx,
  scope: string,
  row: Doc<"stragglerChecks"> | null,
  due: number,
): Promise<void> {
  if (row === null) await ctx.db.insert("stragglerChecks", { scope, due, seconds: [] });
  else await ctx.db.patch("stragglerChecks", row._id, { due });
  await ctx.scheduler.runAt(due, maintenance.checkStragglers, { scope, due });
}
