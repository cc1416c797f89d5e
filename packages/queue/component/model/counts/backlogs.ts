import type { Doc, MutationCtx, QueryCtx } from "../../builders.ts";
import { firstOf } from "../load.ts";
import type { Settings } from "../settings.ts";
import type { ScopeCounts } from "./tally.ts";

/** Those of the lanes (by name) or requesters that were full when last counted: a point read each, all at once. */
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

/** When to ask again, in ms, within what is set. Null when nothing is full. */
export function retryAfterMs(
  crowds: readonly Pick<Doc<"crowds">, "retryAt">[],
  { minRetryAfterMs, maxRetryAfterMs }: Pick<Settings, "minRetryAfterMs" | "maxRetryAfterMs">,
  now: number,
): number | null {
  if (crowds.length === 0) return null;
  const latest = Math.max(...crowds.map(({ retryAt }) => retryAt));
  return Math.min(maxRetryAfterMs, Math.max(minRetryAfterMs, latest - now));
}

/** Counts are taken so often, in ms; what is full stays so at least until the next one. */
const countEveryMs = 60_000;

const notDrainingMs = 5 * countEveryMs;

export type Count = { readonly queued: number; readonly countedAt: number };

/**
 * When it is worth asking again what had more queued than it may: at the rate at which it drained since the count
 * before, during which nothing was let in. ms epoch.
 * @param before null when it was not full then: its rate is not known.
 */
export function retryAtOf(now: Count, before: Count | null, max: number): number {
  const soonest = now.countedAt + countEveryMs;
  if (before === null) return soonest;
  const perMs = (before.queued - now.queued) / Math.max(1, now.countedAt - before.countedAt);
  if (perMs <= 0) return now.countedAt + notDrainingMs;
  return Math.max(soonest, Math.ceil(now.countedAt + (now.queued - max + 1) / perMs));
}

/** So many full ones of a scope are known at once: all its lanes, and the requesters with most. */
const maxBacklogs = 1_000;

/** A full lane that could not be counted since is full for so long; or it is gone. */
const uncountedMs = 600_000;

type Backlog = Pick<Doc<"crowds">, "of" | "name" | "queued"> & { readonly max: number };

/** What has as much queued as it may. */
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
  crowds: readonly Backlog[],
  now: number,
): Promise<void> {
  const known = new Map(before.map((row) => [`${row.of}:${row.name}`, row]));
  for (const { of, name, queued, max } of crowds.slice(0, maxBacklogs)) {
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
