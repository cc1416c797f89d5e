import { batchView, laneState, laneView } from "@gleaner/queue/validators";
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { keyLimits } from "../app/jobs/limits.ts";
import { internal } from "./_generated/api.js";
import { actorName } from "./model/audit.ts";
import { labelDevice as labelDeviceWith } from "./model/devices/labels.ts";
import {
  may,
  memberMutation,
  memberQuery,
  ownDevice,
  ownJob,
  ownKey,
  visibleOwners,
} from "./model/memberCalls.ts";
import { deadLetterPage } from "./model/orders/jobPages.ts";
import { jobRow, withoutPrice } from "./model/orders/jobRow.ts";
import { retryBatch, retryOrder, retryOutcome } from "./model/orders/retry.ts";
import { queue } from "./model/queue.ts";
import { changeSettings, settingValues, settingViews, viewSettings } from "./model/queueSettings.ts";
import { boundedInteger } from "./model/refuse.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The queue in numbers. Counts are at most a minute old; `oldestReadyAt` is exact. */
export const stats = memberQuery("queue.read")({
  args: {},
  returns: v.object({
    ready: v.number(),
    waiting: v.number(),
    running: v.number(),
    workers: v.object({ online: v.number(), accepting: v.number() }),
    lanes: v.array(laneView),
  }),
  handler: async (ctx) => await queue.stats(ctx, ctx.organizationId),
});

const laneActions = { open: "lane.opened", paused: "lane.paused", draining: "lane.draining" } as const;

/** Opens a lane, pauses it (no job starts) or drains it (new jobs are refused, queued ones finish). */
export const setLaneState = memberMutation("queue.change")({
  args: { laneId: v.string(), state: laneState },
  returns: v.null(),
  handler: async (ctx, { laneId, state }) => {
    await queue.lanes.setState(ctx, ctx.organizationId, { laneId, state, actor: actorName(ctx.by.actor) });
    await ctx.audit(laneActions[state], laneId);
    return null;
  },
});

/** The organization's settings of the queue, beside the operator's. */
export const settings = memberQuery("queue.read")({
  args: {},
  returns: settingViews,
  handler: async (ctx) => await viewSettings(ctx, ctx.organizationId),
});

/**
 * Sets the organization's settings of the queue; null: the operator's value. Refuses: invalid.
 * @returns the values before. The same call with them undoes the change.
 */
export const setSettings = memberMutation("queue.change")({
  args: settingValues.fields,
  returns: settingValues,
  handler: async (ctx, values) => await changeSettings(ctx, ctx.organizationId, values, ctx.by),
});

/** Jobs that failed for good or expired, newest first. */
export const deadLetters = memberQuery("jobs.read")({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(jobRow),
  handler: async (ctx, { paginationOpts }) => {
    const page = await deadLetterPage(ctx, ctx.organizationId, visibleOwners(ctx), paginationOpts);
    return may(ctx, "money.read") ? page : { ...page, page: page.page.map(withoutPrice) };
  },
});

/** Retries a dead letter. Its key is charged again, so its credits may not be enough. */
export const retryDeadLetter = memberMutation("jobs.change")({
  args: { jobId: v.string() },
  returns: retryOutcome,
  handler: async (ctx, { jobId }) => {
    const order = await ownJob(ctx, jobId);
    const outcome = await retryOrder(ctx, order, ctx.by);
    if (outcome.kind === "ready") await ctx.audit("dead-letter.retried", jobId);
    return outcome;
  },
});

/** Retries all dead letters whose keys can pay. `started`: retried now. If `more`, the others follow soon. */
export const retryDeadLetters = memberMutation("queue.change")({
  args: {},
  returns: v.object({ started: v.number(), more: v.boolean() }),
  handler: async (ctx) => {
    const { organizationId } = ctx;
    const { started, next } = await retryBatch(ctx, organizationId, null, ctx.by);
    if (next !== null) {
      await ctx.scheduler.runAfter(0, internal.maintenance.retryDeadLetters, {
        organizationId,
        cursor: next,
        actor: ctx.by.actor,
      });
    }
    await ctx.audit("dead-letters.retried", "all");
    return { started, more: next !== null };
  },
});

/** Deletes a dead letter's prompt, so it can't be retried. The failure stays in the history. */
export const discardDeadLetter = memberMutation("jobs.change")({
  args: { jobId: v.string() },
  returns: v.object({ kind: v.union(v.literal("discarded"), v.literal("not-dead")) }),
  handler: async (ctx, { jobId }) => {
    const { organizationId } = ctx;
    const order = await ownJob(ctx, jobId);
    const outcome = await queue.deadLetters.discard(
      ctx,
      organizationId,
      order.jobId,
      actorName(ctx.by.actor),
    );
    if (outcome.kind === "discarded") await ctx.audit("dead-letter.discarded", jobId);
    return outcome;
  },
});

/**
 * Sets an API key's limits. `concurrency`: jobs that may run at once; null: no limit. `weight`: its turns for each turn of
 * a key of weight 1, at most 16; null: 1.
 */
export const setKeyLimit = memberMutation("keys.change")({
  args: {
    keyId: v.id("apiKeys"),
    concurrency: v.union(v.number(), v.null()),
    weight: v.union(v.number(), v.null()),
  },
  returns: v.null(),
  handler: async (ctx, { keyId, concurrency, weight }) => {
    const { organizationId } = ctx;
    await ownKey(ctx, keyId);
    await queue.limits.set(ctx, organizationId, {
      of: "requester",
      name: keyId,
      concurrency:
        concurrency === null ? null : boundedInteger(concurrency, "concurrency", 1, keyLimits.maxConcurrency),
      weight: weight === null ? null : boundedInteger(weight, "weight", 1, keyLimits.maxWeight),
      actor: actorName(ctx.by.actor),
    });
    await ctx.audit("limit.set", keyId);
    return null;
  },
});

/** Batches, newest first. */
export const batches = memberQuery("queue.read")({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(batchView),
  handler: async (ctx, { paginationOpts }) =>
    await queue.batches.list(ctx, ctx.organizationId, paginationOpts),
});

/** Sets a device's groups, its tags and the data classes that it may get. Jobs can require them. */
export const labelDevice = memberMutation("devices.change")({
  args: {
    deviceId: v.id("devices"),
    groups: v.array(v.string()),
    tags: v.optional(v.array(v.string())),
    dataClasses: v.array(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { deviceId, ...labels }) => {
    await labelDeviceWith(ctx, await ownDevice(ctx, deviceId), labels, ctx.by);
    return null;
  },
});
