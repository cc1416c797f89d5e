import type { Policy } from "../../shared/validators.ts";
import { boundedInteger, boundedNumber, farthestMs } from "./bounds.ts";
import type { MutationCtx, QueryCtx } from "./builders.ts";
import { record } from "./events.ts";
import { refuse } from "./refuse.ts";
import { defaultSettings, maxLanes, type SettingsPatch } from "./settings.ts";

const hourMs = 3_600_000;

/** Lowest and highest value, both allowed. Convex limits a document to 1 MiB, and a payload must fit into one. */
const bounds = {
  leaseMs: [5_000, hourMs],
  // A worker without jobs calls every 65 s, and its lease is written a tenth of this time late at most.
  offlineAfterMs: [90_000, 24 * hourMs],
  maxQueued: [1, 1e9],
  maxQueuedPerRequester: [1, 1e9],
  // The waits are counted once a minute.
  maxWaitMs: [60_000, 366 * 24 * hourMs],
  maxCallWaitMs: [60_000, 24 * hourMs],
  maxPayloadBytes: [1, 1_000_000],
  watchMs: [5_000, hourMs],
  maxLanes: [1, maxLanes],
  maxBatchJobs: [1, 1e6],
  releasePauseMs: [0, 60_000],
  minRetryAfterMs: [100, hourMs],
  maxRetryAfterMs: [100, 24 * hourMs],
  maxChunkBytes: [1_024, 256 * 1024],
  maxTextBytes: [1_024, 16 * 1024 * 1024],
} as const;
const whole = [
  "maxQueued",
  "maxQueuedPerRequester",
  "maxPayloadBytes",
  "maxLanes",
  "maxBatchJobs",
  "maxChunkBytes",
  "maxTextBytes",
];

/** Replaces all settings of a scope, or of all scopes if `scope` is "". Refuses: invalid. */
export async function configure(
  ctx: MutationCtx,
  {
    scope,
    values,
    actor,
  }: { readonly scope: string; readonly values: SettingsPatch; readonly actor?: string | undefined },
  now: number,
): Promise<void> {
  const { policy, ...numbers } = values;
  if (policy !== undefined) checkPolicy(policy);
  for (const [name, value] of Object.entries(numbers) as [keyof typeof bounds, number][]) {
    const [from, to] = bounds[name];
    (whole.includes(name) ? boundedInteger : boundedNumber)(value, name, from, to);
  }
  await checkSpans(ctx, scope, values);
  const { minRetryAfterMs = 0, maxRetryAfterMs = Infinity } = values;
  if (minRetryAfterMs > maxRetryAfterMs)
    refuse("invalid", "minRetryAfterMs must be at most maxRetryAfterMs.");
  const row = await ctx.db
    .query("settings")
    .withIndex("by_scope", (q) => q.eq("scope", scope))
    .unique();
  if (row === null) await ctx.db.insert("settings", { scope, values });
  else await ctx.db.patch("settings", row._id, { values });
  await record(ctx, {
    scope,
    at: now,
    actor,
    action: "settings.configure",
    subject: Object.keys(values).join(", "),
  });
}

/** When the settings of all scopes change, at most this many scopes with settings of their own are checked. */
const mostScopes = 2_000;

/**
 * A lease must not be longer than the time until a worker counts as offline. Otherwise a worker that holds jobs would
 * be shown as offline. The settings of all scopes are checked against those of each scope. Refuses: invalid.
 */
async function checkSpans(ctx: QueryCtx, scope: string, values: SettingsPatch): Promise<void> {
  const rows = await ctx.db
    .query("settings")
    .withIndex("by_scope", (q) => (scope === "" ? q : q.eq("scope", "")))
    .take(mostScopes);
  const forAll = scope === "" ? values : rows[0]?.values;
  const others = rows.filter((row) => row.scope !== "").map((row) => row.values);
  for (const own of [values, ...others]) {
    const { leaseMs, offlineAfterMs } = { ...defaultSettings, ...forAll, ...own };
    if (leaseMs > offlineAfterMs) {
      refuse(
        "invalid",
        `leaseMs (${String(leaseMs)}) must be at most offlineAfterMs (${String(offlineAfterMs)}). Set both.`,
      );
    }
  }
}

const yearMs = 366 * 24 * 3_600_000;

/** Checks the policy of a job or of the settings. Refuses: invalid. */
export function checkPolicy(policy: Policy): void {
  const { maxFailures, maxFailuresByJob, maxSubtasks, agreement, backoff } = policy;
  const { payloadKeptMs, chunksKeptMs, recordKeptMs } = policy;
  if (maxFailures !== undefined) boundedInteger(maxFailures, "policy.maxFailures", 1, 1_000);
  if (maxFailuresByJob !== undefined) {
    boundedInteger(maxFailuresByJob, "policy.maxFailuresByJob", 1, 1_000);
  }
  if (maxSubtasks !== undefined) boundedInteger(maxSubtasks, "policy.maxSubtasks", 0, 10_000);
  if (agreement !== undefined) boundedInteger(agreement, "policy.agreement", 1, 10);
  if (backoff !== undefined) {
    boundedNumber(backoff.firstMs, "policy.backoff.firstMs", 0, yearMs);
    boundedNumber(backoff.factor, "policy.backoff.factor", 1, 100);
    boundedNumber(backoff.maxMs, "policy.backoff.maxMs", 0, yearMs);
    boundedNumber(backoff.jitter, "policy.backoff.jitter", 0, 1);
  }
  if (chunksKeptMs !== undefined) boundedNumber(chunksKeptMs, "policy.chunksKeptMs", 0, farthestMs);
  const kept = { payloadKeptMs, recordKeptMs };
  for (const [name, ms] of Object.entries(kept)) {
    if (ms !== undefined) boundedNumber(ms, `policy.${name}`, 0, 10 * yearMs);
  }
}
