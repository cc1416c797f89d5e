import {
  restrictionAdvice,
  restrictionOf,
  restrictionWords,
  withoutJob,
  withStop,
  withUnmet,
} from "../../../app/keys/restriction.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { cancelOrder, orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";

type Kind = Pick<Doc<"orders">, "constrained" | "tries">;

/**
 * The name under which the queue finds the jobs of a key of one kind: with a grammar, a schema or tools, with an answer that
 * devices check, or plain ones. All jobs of a key are found by their requester.
 */
export function jobsOfKind(apiKeyId: Id<"apiKeys">, { constrained = false, tries = 1 }: Kind): string {
  if (tries > 1) return `${apiKeyId} checked`;
  return constrained ? `${apiKeyId} constrained` : apiKeyId;
}

/** Books that a request stopped a device's runner, and restricts its key if this happened too often. */
export async function noteRunnerStop(
  ctx: MutationCtx,
  { apiKeyId, jobId, constrained = false }: Doc<"orders">,
  deviceId: Id<"devices">,
  at: number,
): Promise<void> {
  const key = await ctx.db.get("apiKeys", apiKeyId);
  if (key === null) return;
  const runnerStops = withStop(key.runnerStops ?? [], { at, deviceId, jobId, constrained });
  await change(ctx, key, { runnerStops }, at);
}

/** Books that no answer of a job met its schema, and restricts its key if this happened too often. */
export async function noteUnmetSchema(
  ctx: MutationCtx,
  { apiKeyId }: Doc<"orders">,
  at: number,
): Promise<void> {
  const key = await ctx.db.get("apiKeys", apiKeyId);
  if (key !== null) await change(ctx, key, { unmetSchemas: withUnmet(key.unmetSchemas ?? [], at) }, at);
}

/** Books that a job's answer met its schema. Most keys have nothing to take back, so their rows do not change. */
export async function noteMetSchema(ctx: MutationCtx, { apiKeyId }: Doc<"orders">): Promise<void> {
  const [oldest, ...unmetSchemas] = (await ctx.db.get("apiKeys", apiKeyId))?.unmetSchemas ?? [];
  if (oldest !== undefined) await ctx.db.patch("apiKeys", apiKeyId, { unmetSchemas });
}

/** Changes what a key's requests have cost devices, and restricts the key if that is too much. */
async function change(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  changed: Pick<Doc<"apiKeys">, "runnerStops" | "unmetSchemas">,
  at: number,
): Promise<void> {
  const { _id: apiKeyId, organizationId } = key;
  await ctx.db.patch("apiKeys", apiKeyId, changed);
  const restriction = restrictionOf({ ...key, ...changed }, at);
  if (restriction === null) return;
  await ctx.scheduler.runAfter(0, internal.maintenance.endRestrictedJobs, { apiKeyId });
  if (restriction.of === restrictionOf(key, at)?.of) return;
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

/** Lifts a restriction: what the key's requests have cost until now does not count anymore. False if the key is not restricted. */
export async function liftRestriction(ctx: MutationCtx, key: Doc<"apiKeys">, now: number): Promise<boolean> {
  if (restrictionOf(key, now) === null) return false;
  await ctx.db.patch("apiKeys", key._id, { runnerStops: [], unmetSchemas: [] });
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
  const restriction = key === null ? null : restrictionOf(key, now);
  if (key === null || restriction === null) return false;
  const all = { requester: apiKeyId };
  const checked = { key: jobsOfKind(apiKeyId, { tries: 2 }) };
  const constrained = { key: jobsOfKind(apiKeyId, { constrained: true }) };
  const kinds = { all: [all], checked: [checked], constrained: [constrained, checked] }[restriction.of];
  const error = { code: "key_restricted", message: restrictionAdvice(restriction) };
  let room = perBatch;
  const statuses = ["ready", "waiting", "prefetched", "running"] as const;
  for (const [which, status] of kinds.flatMap((kind) => statuses.map((each) => [kind, each] as const))) {
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
