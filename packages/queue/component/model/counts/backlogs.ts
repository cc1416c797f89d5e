import type { SubmitOutcome } from "../../../shared/validators.ts";
import type { Doc, MutationCtx, QueryCtx } from "../builders.ts";
import { defined, firstOf } from "../load.ts";
import type { Settings } from "../settings.ts";
import type { ScopeCounts } from "./tally.ts";
import { longestWaitMs, mayShed } from "./waits.ts";

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
  backlogs: readonly Pick<Doc<"crowds">, "retryAt" | "full">[],
  settings: Pick<Settings, "minRetryAfterMs" | "maxRetryAfterMs">,
  now: number,
): number | null {
  const full = backlogs.filter(isFull);
  return full.length === 0
    ? null
    : withinLimits(Math.max(...full.map(({ retryAt }) => retryAt)) - now, settings);
}

/** Rows of earlier versions were all full. */
function isFull({ full = true }: Pick<Doc<"crowds">, "full">): boolean {
  return full;
}

function withinLimits(
  ms: number,
  { minRetryAfterMs, maxRetryAfterMs }: Pick<Settings, "minRetryAfterMs" | "maxRetryAfterMs">,
): number {
  return Math.min(maxRetryAfterMs, Math.max(minRetryAfterMs, ms));
}

/** A new job that starts as soon as a worker takes it. */
type Starting = { readonly name: string; readonly priority: number; readonly called: boolean };

/**
 * The refusal of jobs that would wait too long, by the last count; null if none would. While nothing is accepted, the wait
 * gets shorter as time passes.
 */
export function busyAt(
  backlogs: readonly Pick<Doc<"crowds">, "of" | "name" | "waits">[],
  jobs: readonly Starting[],
  settings: Settings,
): Extract<SubmitOutcome, { kind: "busy" }> | null {
  const waiting = jobs.flatMap(({ name, priority: level, called }) => {
    const crowd = backlogs.find((one) => one.of === "lane" && one.name === name);
    const expected = crowd?.waits?.[level] ?? 0;
    const longest = longestWaitMs(settings, { level, called });
    return expected > longest ? [{ expected, longest }] : [];
  });
  const [worst] = waiting.sort((a, b) => b.expected - b.longest - (a.expected - a.longest));
  if (worst === undefined) return null;
  const { expected, longest } = worst;
  return {
    kind: "busy",
    expectedWaitMs: expected,
    longestWaitMs: longest,
    retryAfterMs: withinLimits(expected - longest, settings),
  };
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

type Backlog = Pick<Doc<"crowds">, "of" | "name" | "queued"> & {
  readonly max: number;
  readonly waits?: readonly number[] | undefined;
};

/** The lanes and requesters that have as many jobs queued as they may, and lanes in which some new jobs would wait too long. */
export function findBacklogs(
  lanes: ScopeCounts["lanes"],
  requesters: ScopeCounts["requesters"],
  settings: Settings,
): Backlog[] {
  const { maxQueued, maxQueuedPerRequester } = settings;
  const ofLanes = lanes.map(({ name, ready, waiting, waits }) => ({
    of: "lane" as const,
    name,
    queued: ready + waiting,
    max: maxQueued,
    // A lane without ready jobs takes the next one: a count knows how long it waits only then.
    waits: ready > 0 && mayShed(waits ?? null, settings) ? waits : undefined,
  }));
  const ofRequesters = requesters.map(({ name, ready, waiting }) => ({
    name,
    queued: ready + waiting,
    of: "requester" as const,
    max: maxQueuedPerRequester,
    waits: undefined,
  }));
  return [...ofLanes, ...ofRequesters].filter(
    ({ queued, max, waits }) => queued >= max || waits !== undefined,
  );
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
  for (const { of, name, queued, max, waits } of backlogs.slice(0, maxBacklogs)) {
    const row = known.get(`${of}:${name}`);
    known.delete(`${of}:${name}`);
    // While it was not full, jobs were accepted, so the count says nothing about how fast it drains.
    const drains = row !== undefined && isFull(row) ? row : null;
    const retryAt = retryAtOf({ queued, countedAt: now }, drains, max);
    const counted = { queued, countedAt: now, retryAt, full: queued >= max };
    const expected = waits === undefined ? undefined : [...waits];
    if (row === undefined)
      await ctx.db.insert("crowds", { scope, of, name, ...counted, ...defined({ waits: expected }) });
    else await ctx.db.patch("crowds", row._id, { ...counted, waits: expected });
  }
  for (const row of known.values()) {
    const counted = row.of === "requester" || lanes.some(({ name }) => name === row.name);
    if (counted || now - row.countedAt > uncountedMs) await ctx.db.delete("crowds", row._id);
  }
}
