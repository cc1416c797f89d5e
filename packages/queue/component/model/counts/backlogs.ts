import type { Doc, MutationCtx, QueryCtx } from "../builders.ts";
import { firstOf } from "../load.ts";
import type { Settings } from "../settings.ts";
import type { ScopeCounts } from "./tally.ts";

/** The lanes (by name) or requesters that were full in the last count. All are point reads, in parallel. */
export async function backlogsOf(
  ctx: QueryCtx,
  scope: string,
  of: Doc<"crowds">["of"],
  names: readonly string[],
): Promise<readonly Doc<"crowds">[]> {
  const rows = await Promise.all(
    [...new Set(names)].map((name) =>
      firstOf(
        ctx.db
          .query("crowds")
          .withIndex("by_name", (q) => q.eq("scope", scope).eq("of", of).eq("name", name)),
      ),
    ),
  );
  return rows.flatMap((row) => row ?? []);
}

/** When to submit again, in ms, within the configured limits. Null: nothing is full. */
export function retryAfterMs(
  backlogs: readonly Pick<Doc<"crowds">, "retryAt">[],
  { minRetryAfterMs, maxRetryAfterMs }: Pick<Settings, "minRetryAfterMs" | "maxRetryAfterMs">,
  now: number,
): number | null {
  if (backlogs.length === 0) return null;
  const latest = Math.max(...backlogs.map(({ retryAt }) => retryAt));
  return Math.min(maxRetryAfterMs, Math.max(minRetryAfterMs, latest - now));
}

/** The time between two counts, in ms. A full lane or requester stays full at least until the next count. */
const countEveryMs = 60_000;

const notDrainingMs = 5 * countEveryMs;

export type Count = { readonly queued: number; readonly countedAt: number };

/**
 * When it is worth submitting again: estimated from how fast the backlog shrank since the last count, while nothing was
 * accepted. ms epoch.
 * @param before the last count; null if there was no backlog then, so the rate is unknown.
 */
export function retryAtOf(now: Count, before: Count | null, max: number): number {
  const soonest = now.countedAt + countEveryMs;
  if (before === null) return soonest;
  const perMs = (before.queued - now.queued) / Math.max(1, now.countedAt - before.countedAt);
  if (perMs <= 0) return now.countedAt + notDrainingMs;
  return Math.max(soonest, Math.ceil(now.countedAt + (now.queued - max + 1) / perMs));
}

/** The most backlogs of a scope that are known at once: all its lanes, and the requesters with most jobs. */
const maxBacklogs = 1_000;

/** How long a full lane stays full if it cannot be counted. It may also have been deleted. */
const uncountedMs = 600_000;

type Backlog = Pick<Doc<"crowds">, "of" | "name" | "queued"> & { readonly max: number };

/** The lanes and requesters that have as many jobs queued as they may. */
export function findBacklogs(
  lanes: ScopeCounts["lanes"],
  requesters: ScopeCounts["requesters"],
  { maxQueued, maxQueuedPerRequester }: Settings,
): Backlog[] {
  return [
    ...lanes.map(({ name, ready, waiting }) => ({
      of: "lane" as const,
      name,
      queued: ready + waiting,
      max: maxQueued,
    })),
    ...requesters.map((one) => ({ ...one, of: "requester" as const, max: maxQueuedPerRequester })),
  ].filter(({ queued, max }) => queued >= max);
}

export async function knownBacklogs(ctx: QueryCtx, scope: string): Promise<Doc<"crowds">[]> {
  return await ctx.db
    .query("crowds")
    .withIndex("by_name", (q) => q.eq("scope", scope))
    .take(maxBacklogs);
}

export async function noteBacklogs(
  ctx: MutationCtx,
  { scope, lanes }: ScopeCounts,
  before: readonly Doc<"crowds">[],
  backlogs: readonly Backlog[],
  now: number,
): Promise<void> {
  const known = new Map(before.map((row) => [`${row.of}:${row.name}`, row]));
  for (const { of, name, queued, max } of backlogs.slice(0, maxBacklogs)) {
    const row = known.get(`${of}:${name}`);
    known.delete(`${of}:${name}`);
    const retryAt = retryAtOf({ queued, countedAt: now }, row ?? null, max);
    if (row === undefined)
      await ctx.db.insert("crowds", { scope, of, name, queued, countedAt: now, retryAt });
    else await ctx.db.patch("crowds", row._id, { queued, countedAt: now, retryAt });
  }
  for (const row of known.values()) {
    const counted = row.of === "requester" || lanes.some(({ name }) => name === row.name);
    if (counted || now - row.countedAt > uncountedMs) await ctx.db.delete("crowds", row._id);
  }
}
