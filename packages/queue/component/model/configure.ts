import type { MutationCtx } from "../builders.ts";
import { boundedInteger, boundedNumber } from "./bounds.ts";
import { checkSpans } from "./checkSpans.ts";
import { record } from "./events.ts";
import { checkPolicy } from "./policyBounds.ts";
import { refuse } from "./refuse.ts";
import { maxLanes, type SettingsPatch } from "./settings.ts";

const hourMs = 3_600_000;

/** From and to, both taken. Payloads have to fit a document, which Convex takes up to 1 MiB. */
const bounds = {
  leaseMs: [5_000, hourMs],
  // A worker without jobs is heard of each 65 s, and a tenth of this later it is written.
  offlineAfterMs: [90_000, 24 * hourMs],
  maxQueued: [1, 1e9],
  maxQueuedPerRequester: [1, 1e9],
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

/** Sets a scope's settings, "" for all scopes, as a whole. */
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
    refuse("invalid", "minRetryAfterMs must not be above maxRetryAfterMs.");
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
