import {
  type Restriction,
  restrictionAdvice,
  restrictionOf,
  restrictionWords,
  withoutJob,
  withStop,
} from "../../../app/keys/restriction.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { cancelOrder, orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";

/** How the key is restricted now; null if it is not. */
export function restrictionOfKey({ runnerStops = [] }: Doc<"apiKeys">, now: number): Restriction | null {
  return restrictionOf(runnerStops, now);
}

/**
 * The name under which the queue finds the jobs of a key with a grammar, a schema or tools. All jobs of a key are found by
 * their requester.
 */
export function constrainedJobsOf(apiKeyId: Id<"apiKeys">): string {
  return `${apiKeyId} constrained`;
}

/** Books that a request stopped a device's runner, and restricts its key if this happened too often. */
export async function noteRunnerStop(
  ctx: MutationCtx,
  { apiKeyId, organizationId, jobId, constrained = false }: Doc<"orders">,
  deviceId: Id<"devices">,
  at: number,
): Promise<void> {
  const key = await ctx.db.get("apiKeys", apiKeyId);
  if (key === null) return;
  const runnerStops = withStop(key.runnerStops ?? [], { at, deviceId, jobId, constrained });
  await ctx.db.patch("apiKeys", apiKeyId, { runnerStops });
  const restriction = restrictionOf(runnerStops, at);
  if (restriction === null) return;
  await ctx.scheduler.runAfter(0, internal.maintenance.endRestrictedJobs, { apiKeyId });
  if (restriction.of === restrictionOfKey(key, at)?.of) return;
  const detail = restrictionWords(restriction);
  await record(ctx, {
    organizationId,
    at,
    actor: "system",
    action: "api-key.restricted",
    subject: apiKeyId,
    detail,
  });
}

/** Takes back the stops of a job that another device has answered. */
export async function forgetRunnerStops(ctx: MutationCtx, { apiKeyId, jobId }: Doc<"orders">): Promise<void> {
  const stops = (await ctx.db.get("apiKeys", apiKeyId))?.runnerStops ?? [];
  const runnerStops = withoutJob(stops, jobId);
  if (runnerStops.length < stops.length) await ctx.db.patch("apiKeys", apiKeyId, { runnerStops });
}

/** Lifts a restriction: what stopped runners until now does not count anymore. False if the key is not restricted. */
export async function liftRestriction(ctx: MutationCtx, key: Doc<"apiKeys">, now: number): Promise<boolean> {
  if (restrictionOfKey(key, now) === null) return false;
  await ctx.db.patch("apiKeys", key._id, { runnerStops: [] });
  return true;
}

/** Small, because each end reads and writes many rows. */
const perBatch = 50;

/**
 * Ends the next unfinished jobs that a key's restriction is about. Their requesters get the reason. They may not run first:
 * each could stop another runner. False once there are no more.
 */
export async function endRestrictedBatch(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  now: number,
): Promise<boolean> {
  const key = await ctx.db.get("apiKeys", apiKeyId);
  const restriction = key === null ? null : restrictionOfKey(key, now);
  if (key === null || restriction === null) return false;
  const which = restriction.of === "all" ? { requester: apiKeyId } : { key: constrainedJobsOf(apiKeyId) };
  const error = { code: "key_restricted", message: restrictionAdvice(restriction) };
  let room = perBatch;
  for (const status of ["ready", "waiting", "prefetched", "running"] as const) {
    if (room === 0) break;
    const paginationOpts = { numItems: room, cursor: null };
    const { page } = await queue.list(ctx, key.organizationId, { ...which, status, paginationOpts });
    for (const { jobId } of page) {
      const order = await orderOf(ctx, jobId);
      if (order === null) continue;
      await ctx.db.patch("orders", order._id, { error });
      await cancelOrder(ctx, order);
    }
    room -= page.length;
  }
  return room === 0;
}
