import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalAction, internalMutation, internalQuery } from "./_generated/server.js";
import {
  beginStages,
  candidatePage,
  candidatesOf,
  noteHad,
  pagePlace,
  planRollout,
} from "./model/rollouts/plan.ts";
import {
  countRows,
  decideNext,
  forgetSomeDevices,
  stepAll,
  stepRollout,
  uncountedOf,
} from "./model/rollouts/step.ts";
import { rolloutStage, stageSize } from "./model/validators/models.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const rolloutId = v.id("modelRollouts");

/** Finds the devices of each stage of a new roll-out, and begins the first stage. */
export const plan = internalAction({
  args: { rolloutId },
  returns: v.null(),
  handler: async (ctx, { rolloutId: id }) => {
    await planRollout(ctx, id);
    return null;
  },
});

export const candidatesPage = internalQuery({
  args: { rolloutId, place: pagePlace },
  returns: candidatePage,
  handler: async (ctx, { rolloutId: id, place }) => await candidatesOf(ctx, id, place),
});

export const noteBegun = internalMutation({
  args: { rolloutId, deviceIds: v.array(v.id("devices")) },
  returns: v.null(),
  handler: async (ctx, { rolloutId: id, deviceIds }) => {
    await noteHad(ctx, id, deviceIds);
    return null;
  },
});

/** The sizes of a roll-out's stages; null if it is gone. */
export const sizes = internalQuery({
  args: { rolloutId },
  returns: v.union(v.array(stageSize), v.null()),
  handler: async (ctx, { rolloutId: id }) =>
    (await ctx.db.get("modelRollouts", id))?.stages.map(({ size }) => size) ?? null,
});

export const startStages = internalMutation({
  args: { rolloutId, stages: v.array(rolloutStage) },
  returns: v.null(),
  handler: async (ctx, { rolloutId: id, stages }) => {
    await beginStages(ctx, id, stages, Date.now());
    return null;
  },
});

/** Lets all roll-outs that are not done go on. A cron calls it. */
export const stepOpen = internalMutation({
  args: { cursor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { cursor }) => {
    await stepAll(ctx, cursor ?? null, Date.now());
    return null;
  },
});

export const step = internalAction({
  args: { rolloutId },
  returns: v.null(),
  handler: async (ctx, { rolloutId: id }) => {
    await stepRollout(ctx, id);
    return null;
  },
});

export const uncounted = internalQuery({
  args: { rolloutId },
  returns: v.array(v.id("modelRolloutDevices")),
  handler: async (ctx, { rolloutId: id }) => await uncountedOf(ctx, id),
});

export const countDevices = internalMutation({
  args: { rolloutId, rowIds: v.array(v.id("modelRolloutDevices")) },
  returns: v.null(),
  handler: async (ctx, { rolloutId: id, rowIds }) => {
    await countRows(ctx, id, rowIds, Date.now());
    return null;
  },
});

export const decide = internalMutation({
  args: { rolloutId },
  returns: v.null(),
  handler: async (ctx, { rolloutId: id }) => {
    await decideNext(ctx, id, Date.now());
    return null;
  },
});

/** Deletes the devices of a roll-out that is done. */
export const forgetDevices = internalMutation({
  args: { rolloutId },
  returns: v.null(),
  handler: async (ctx, { rolloutId: id }) => {
    if (await forgetSomeDevices(ctx, id)) {
      await ctx.scheduler.runAfter(0, internal.rollouts.forgetDevices, { rolloutId: id });
    }
    return null;
  },
});
