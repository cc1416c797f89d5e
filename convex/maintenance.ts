import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalMutation } from "./_generated/server.js";
import { deleteChunkBatch, purgeBatch } from "./model/jobs/purge.ts";
import { foldTallies } from "./model/jobs/tally.ts";
import { projectBatch } from "./model/ledger/project.ts";
import { cancelReadyJobs } from "./model/keys/revoke.ts";
import { checkLease as janitor, checkPresence as presence } from "./model/leases/janitor.ts";

/** The janitor's look at one device's lease; armed by the claim that finds it unarmed. */
export const checkLease = internalMutation({
  args: { deviceId: v.id("devices"), deadline: v.number(), graced: v.boolean() },
  returns: v.null(),
  handler: async (ctx, look) => {
    await janitor(ctx, look, Date.now());
    return null;
  },
});

export const checkPresence = internalMutation({
  args: { deviceId: v.id("devices") },
  returns: v.null(),
  handler: async (ctx, { deviceId }) => {
    await presence(ctx, deviceId, Date.now());
    return null;
  },
});

/** A session's end: its row goes, and with it everything that was subscribed through it. */
export const endSession = internalMutation({
  args: { sessionId: v.id("sessions") },
  returns: v.null(),
  handler: async (ctx, { sessionId }) => {
    if ((await ctx.db.get("sessions", sessionId)) !== null) await ctx.db.delete("sessions", sessionId);
    return null;
  },
});

export const deleteChunks = internalMutation({
  args: { jobId: v.id("jobs") },
  returns: v.null(),
  handler: async (ctx, { jobId }) => {
    if (await deleteChunkBatch(ctx, jobId)) {
      await ctx.scheduler.runAfter(0, internal.maintenance.deleteChunks, { jobId });
    }
    return null;
  },
});

/** What a revocation left for later of the key's ready jobs. */
export const cancelJobsOfKey = internalMutation({
  args: { apiKeyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { apiKeyId }) => {
    await cancelReadyJobs(ctx, apiKeyId, Date.now());
    return null;
  },
});

/** Bookings younger than this are left for the next fold, since their neighbours may still be under way. */
const settledForMs = 2_000;

/** Folds what was booked and counted since the last minute. */
export const project = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const before = Date.now() - settledForMs;
    const moreMoney = await projectBatch(ctx, before);
    const moreTallies = await foldTallies(ctx, before);
    if (moreMoney || moreTallies) await ctx.scheduler.runAfter(0, internal.maintenance.project, {});
    return null;
  },
});

export const purge = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    if (await purgeBatch(ctx, Date.now())) await ctx.scheduler.runAfter(0, internal.maintenance.purge, {});
    return null;
  },
});
