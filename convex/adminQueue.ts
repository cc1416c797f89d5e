import { batchView, laneState, laneView } from "@gleaner/queue/validators";
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { keyLimits } from "../app/jobs/limits.ts";
import { internal } from "./_generated/api.js";
import { mutation, query } from "./_generated/server.js";
import { record } from "./model/audit.ts";
import { authenticateSession } from "./model/authenticate.ts";
import { owned } from "./model/load.ts";
import { jobRow, jobRowOf } from "./model/orders/jobRow.ts";
import { ownedOrder } from "./model/orders/orderOf.ts";
import { retryBatch, retryOrder } from "./model/orders/retry.ts";
import { boundedPage } from "./model/page.ts";
import { queue } from "./model/queue.ts";
import { boundedInteger, boundedText } from "./model/refuse.ts";

const actor = "admin";

/** The queue at a glance: counts are at most a minute old; `oldestReadyAt` is now's. */
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

/** Opens a lane, pauses it (nothing is begun) or drains it (nothing is taken in, what is there is finished). */
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

/** Jobs that failed for good or ran out of time, the newest first. */
export const deadLetters = query({
  args: { session: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(jobRow),
  handler: async (ctx, { session, paginationOpts: asked }) => {
    const { organizationId } = await authenticateSession(ctx, session);
    const page = await queue.deadLetters.list(ctx, organizationId, { paginationOpts: boundedPage(asked) });
    return { ...page, page: await Promise.all(page.page.map((job) => jobRowOf(ctx, organizationId, job))) };
  },
});

/** Tries a dead letter again. Its key is charged anew, so it may have not enough left. */
export const retryDeadLetter = mutation({
  args: { session: v.string(), jobId: v.string() },
  returns: v.object({
    kind: v.union(
      v.literal("ready"),
      v.literal("gone"),
      v.literal("not-dead"),
      v.literal("quota-exceeded"),
      v.literal("revoked"),
    ),
  }),
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

/** Tries all dead letters again whose keys can pay: the first of them now (`started`), the rest soon. */
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

/** Deletes what a dead letter keeps of its prompt; it can be tried again no more. */
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
 * Limits how many jobs of an API key are under way at once (null: no limit), and says how often it has its turn
 * beside the others' once (1 to 16; null: 1).
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

/** The newest batches first. */
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

/** Puts a device into groups, and allows it classes of data: jobs can ask for either. */
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
