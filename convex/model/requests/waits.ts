import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { waitingCalls } from "../../../app/jobs/limits.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { present } from "../refuse.ts";

/** Other projects, which have no types of Node, import the types of this file. */
declare const process: {
  readonly env: { readonly MAX_WAITING_CALLS?: string; readonly MAX_WAITING_CALLS_OF_ORGANIZATION?: string };
};

/** Rows that one run of the maintenance deletes. */
const sweptAtOnce = 500;

/** Whether another call may wait; if not, whose calls are too many, and how many may wait. */
export const waitAdmission = v.union(
  v.object({ allowed: v.literal(true) }),
  v.object({ allowed: v.literal(false), of: literals("key", "organization"), most: v.number() }),
);

/**
 * Whether another call of the key may wait: by the deployment's variables, or the defaults. Calls that wait for only a few
 * seconds do not count. Ask in a query of its own: a mutation that reads these rows would conflict with every other call.
 */
export async function mayWait(
  ctx: QueryCtx,
  apiKeyId: Id<"apiKeys">,
  now: number,
): Promise<Infer<typeof waitAdmission>> {
  const { MAX_WAITING_CALLS: ofKey, MAX_WAITING_CALLS_OF_ORGANIZATION: ofAll } = process.env;
  const mostOfKey = numberOf(ofKey) ?? waitingCalls.most;
  const own = await ctx.db
    .query("waits")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).gt("until", now))
    .take(mostOfKey);
  if (own.length >= mostOfKey) return { allowed: false, of: "key", most: mostOfKey };
  const mostOfAll = numberOf(ofAll) ?? waitingCalls.mostOfOrganization;
  const { organizationId } = present(await ctx.db.get("apiKeys", apiKeyId), "admitted API key");
  const all = await ctx.db
    .query("waits")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).gt("until", now))
    .take(mostOfAll);
  return all.length < mostOfAll ? { allowed: true } : { allowed: false, of: "organization", most: mostOfAll };
}

/** A variable's positive whole number; null if it has none. */
function numberOf(variable: string | undefined): number | null {
  const given = Number(variable ?? "");
  return Number.isSafeInteger(given) && given > 0 ? given : null;
}

/**
 * Counts a waiting call until `endWait`, or until its wait must have ended.
 * @param wait.request a hash of the request, if a retry may take up its job. `wait.submission`: as in the schema.
 */
export async function beginWait(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  wait: {
    readonly until: number;
    readonly jobId?: string;
    readonly request?: string;
    readonly submission?: string;
  },
): Promise<Id<"waits">> {
  const { organizationId } = present(await ctx.db.get("apiKeys", apiKeyId), "admitted API key");
  return await ctx.db.insert("waits", { apiKeyId, organizationId, ...wait });
}

export async function endWait(ctx: MutationCtx, waitId: Id<"waits">): Promise<void> {
  if ((await ctx.db.get("waits", waitId)) !== null) await ctx.db.delete("waits", waitId);
}

/** Deletes the next rows of all calls, as after a restart of the backend. Returns whether there may be more. */
export async function endAllWaits(ctx: MutationCtx): Promise<boolean> {
  const waits = await ctx.db.query("waits").take(sweptAtOnce);
  for (const { _id } of waits) await ctx.db.delete("waits", _id);
  return waits.length === sweptAtOnce;
}

/** Deletes the rows of calls that were cut off. Returns whether there may be more. */
export async function sweepWaits(ctx: MutationCtx, now: number): Promise<boolean> {
  const ended = await ctx.db
    .query("waits")
    .withIndex("by_end", (q) => q.lte("until", now))
    .take(sweptAtOnce);
  for (const { _id } of ended) await ctx.db.delete("waits", _id);
  return ended.length === sweptAtOnce;
}
