import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalMutation } from "./_generated/server.js";
import { cancelJobsOf } from "./model/keys/revoke.ts";
import { projectBatch } from "./model/ledger/project.ts";
import { retryBatch } from "./model/orders/retry.ts";
import { rotateDue } from "./model/sharing/rotateDue.ts";
import { endGrace } from "./model/devices/sharing.ts";

/** A session's end: its row goes, and with it everything that was subscribed through it. */
export const endSession = internalMutation({
  args: { sessionId: v.id("sessions") },
  returns: v.null(),
  handler: async (ctx, { sessionId }) => {
    if ((await ctx.db.get("sessions", sessionId)) !== null) await ctx.db.delete("sessions", sessionId);
    return null;
  },
});

/** Another look at a revoked key's jobs, since its last ones were still at work. */
export const cancelJobsOfKey = internalMutation({
  args: { apiKeyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { apiKeyId }) => {
    const key = await ctx.db.get("apiKeys", apiKeyId);
    if (key !== null) await cancelJobsOf(ctx, key);
    return null;
  },
});

/** Goes on with the dead letters that are tried again, all of them. */
export const retryDeadLetters = internalMutation({
  args: { organizationId: v.id("organizations"), cursor: v.string() },
  returns: v.null(),
  handler: async (ctx, { organizationId, cursor }) => {
    const { next } = await retryBatch(ctx, organizationId, cursor, "admin", Date.now());
    if (next !== null) {
      await ctx.scheduler.runAfter(0, internal.maintenance.retryDeadLetters, {
        organizationId,
        cursor: next,
      });
    }
    return null;
  },
});

/** Bookings younger than this are left for the next fold, since their neighbours may still be under way. */
const settledForMs = 2_000;

/** Folds what was booked since the last minute. */
export const project = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const more = await projectBatch(ctx, Date.now() - settledForMs);
    if (more) await ctx.scheduler.runAfter(0, internal.maintenance.project, {});
    return null;
  },
});

/** Replaces the secrets by which devices know each other, each once a week. */
export const rotateSharingSecrets = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await rotateDue(ctx, Date.now());
    return null;
  },
});

/** The time is over in which the one before was good, too. */
export const endSharingGrace = internalMutation({
  args: { organizationId: v.id("organizations"), previous: v.string() },
  returns: v.null(),
  handler: async (ctx, { organizationId, previous }) => {
    await endGrace(ctx, organizationId, previous);
    return null;
  },
});
