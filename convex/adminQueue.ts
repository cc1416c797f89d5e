import { batchView, laneState, laneView } from "@gleaner/queue/validators";
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { keyLimits } from "../app/jobs/limits.ts";
import { internal } from "./_generated/api.js";
import { mutation, query } from "./_generated/server.js";
import { record } from "./model/audit.ts";
import { authenticateSession } from "./model/authenticate.ts";
import { jobRow, jobRowOf } from "./model/orders/jobRow.ts";
import { ownedOrder } from "./model/orders/orders.ts";
import { retryBatch, retryOrder, retryOutcome } from "./model/orders/retry.ts";
import { queue } from "./model/queue.ts";
import { boundedInteger, boundedPage, boundedText, owned } from "./model/refuse.ts";

const actor = "admin";

/** The queue in numbers. Counts are at most a minute old; `oldestReadyAt` is exact. */
export const stats = query({
  args: { session: v.string() },
  returns: v.object({
    ready: v.number(),
    waiting: v.number(),
    running: v.number(),
    workers: v.object({ online: v.number(), accepting: v.number() }),
    lanes: v.array(laneView),
  }),
  handler: async (ctx, { session }) => {
    const { organizationId } = await authenticateSession(ctx, session);
    return await queue.stats(ctx, organizationId);
  },
});

const laneActions = { open: "lane.opened", paused: "lane.paused", draining: "lane.draining" } as const;

/** Opens a lane, pauses it (no job starts) or drains it (new jobs are refused, queued ones finish). */
export const setLaneState = mutation({
  args: { session: v.string(), laneId: v.string(), state: laneState },
  returns: v.null(),
  handler: async (ctx, { session, laneId, state }) => {
    const at = Date.now();
    const { organizationId } = await authenticateSession(ctx, session, at);
    await queue.lanes.setState(ctx, organizationId, { laneId, state, actor });
    await record(ctx, { organizationId, at, actor, action: laneActions[state], subject: laneId });
    return null;
  },
});

/** Jobs that failed for good or expired, newest first. */
export const deadLetters = query({
  args: { session: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(jobRow),
  handler: async (ctx, { session, paginationOpts: asked }) => {
    const { organizationId } = await authenticateSession(ctx, session);
    const page = await queue.deadLetters.list(ctx, organizationId, { paginationOpts: boundedPage(asked) });
    return { ...page, page: await Promise.all(page.page.map((job) => jobRowOf(ctx, organizationId, job))) };
  },
});

/** Retries a dead letter. Its key is charged again, so its credits may not be enough. */
export const retryDeadLetter = mutation({
  args: { session: v.string(), jobId: v.string() },
  returns: retryOutcome,
  handler: async (ctx, { session, jobId }) => {
    const at = Date.now();
    const { organizationId } = await authenticateSession(ctx, session, at);
    const order = await ownedOrder(ctx, organizationId, jobId);
    const outcome = await retryOrder(ctx, order, actor, at);
    if (outcome.kind === "ready") {
      await record(ctx, { organizationId, at, actor, action: "dead-letter.retried", subject: jobId });
    }
    return outcome;
  },
});

/** Retries all dead letters whose keys can pay. `started`: retried now. If `more`, the others follow soon. */
export const retryDeadLetters = mutation({
  args: { session: v.string() },
  returns: v.object({ started: v.number(), more: v.boolean() }),
  handler: async (ctx, { session }) => {
    const at = Date.now();
    const { organizationId } = await authenticateSession(ctx, session, at);
    const { started, next } = await retryBatch(ctx, organizationId, null, actor, at);
    if (next !== null) {
      await ctx.scheduler.runAfter(0, internal.maintenance.retryDeadLetters, {
        organizationId,
        cursor: next,
      });
    }
    await record(ctx, { organizationId, at, actor, action: "dead-letters.retried", subject: "all" });
    return { started, more: next !== null };
  },
});

/** Deletes a dead letter's prompt, so it can't be retried. The failure stays in the history. */
export const discardDeadLetter = mutation({
  args: { session: v.string(), jobId: v.string() },
  returns: v.object({ kind: v.union(v.literal("discarded"), v.literal("not-dead")) }),
  handler: async (ctx, { session, jobId }) => {
    const at = Date.now();
    const { organizationId } = await authenticateSession(ctx, session, at);
    const order = await ownedOrder(ctx, organizationId, jobId);
    const outcome = await queue.deadLetters.discard(ctx, organizationId, order.jobId, actor);
    if (outcome.kind === "discarded") {
      await record(ctx, { organizationId, at, actor, action: "dead-letter.discarded", subject: jobId });
    }
    return outcome;
  },
});

/**
 * Sets an API key's limits. `concurrency`: jobs that may run at once; null: no limit. `weight`: its turns for each turn of
 * a key of weight 1, at most 16; null: 1.
 */
export const setKeyLimit = mutation({
  args: {
    session: v.string(),
    keyId: v.id("apiKeys"),
    concurrency: v.union(v.number(), v.null()),
    weight: v.union(v.number(), v.null()),
  },
  returns: v.null(),
  handler: async (ctx, { session, keyId, concurrency, weight }) => {
    const at = Date.now();
    const { organizationId } = await authenticateSession(ctx, session, at);
    owned(await ctx.db.get("apiKeys", keyId), organizationId, "API key");
    await queue.limits.set(ctx, organizationId, {
      of: "requester",
      name: keyId,
      concurrency:
        concurrency === null ? null : boundedInteger(concurrency, "concurrency", 1, keyLimits.maxConcurrency),
      weight: weight === null ? null : boundedInteger(weight, "weight", 1, keyLimits.maxWeight),
      actor,
    });
    await record(ctx, { organizationId, at, actor, action: "limit.set", subject: keyId });
    return null;
  },
});

/** Batches, newest first. */
export const batches = query({
  args: { session: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(batchView),
  handler: async (ctx, { session, paginationOpts }) => {
    const { organizationId } = await authenticateSession(ctx, session);
    return await queue.batches.list(ctx, organizationId, boundedPage(paginationOpts));
  },
});

const maxLabels = 32;
const maxLabelChars = 120;

/** Sets a device's groups and the data classes that it may get. Jobs can require either. */
export const labelDevice = mutation({
  args: {
    session: v.string(),
    deviceId: v.id("devices"),
    groups: v.array(v.string()),
    dataClasses: v.array(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { session, deviceId, groups, dataClasses }) => {
    const at = Date.now();
    const { organizationId } = await authenticateSession(ctx, session, at);
    const { workerId } = owned(await ctx.db.get("devices", deviceId), organizationId, "device");
    const inGroups = labels(groups, "A group");
    await ctx.db.patch("devices", deviceId, { groups: inGroups });
    await queue.workers.update(ctx, organizationId, {
      workerId,
      groups: inGroups,
      dataClasses: labels(dataClasses, "A data class"),
      actor,
    });
    await record(ctx, { organizationId, at, actor, action: "device.labelled", subject: deviceId });
    return null;
  },
});

function labels(given: readonly string[], what: string): string[] {
  boundedInteger(given.length, `${what}'s number`, 0, maxLabels);
  return [...new Set(given.map((label) => boundedText(label, what, maxLabelChars)))].sort();
}
