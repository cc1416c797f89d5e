import { ActionRetrier, onCompleteValidator, runIdValidator } from "@convex-dev/action-retrier";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalMutation, mutation, query } from "./_generated/server";
import { components } from "./components";

const retrier = new ActionRetrier(components.actionRetrier, {
  initialBackoffMs: 50,
  base: 2,
  maxFailures: 2,
});

export const start = mutation({
  args: { name: v.string(), failures: v.number(), afterMs: v.optional(v.number()) },
  handler: async (ctx, { afterMs, ...args }): Promise<string> =>
    retrier.runAfter(ctx, afterMs ?? 0, internal.runs.shaky, args, { onComplete: internal.runs.ended }),
});

/** Fails a few times, then succeeds. */
export const shaky = internalAction({
  args: { name: v.string(), failures: v.number() },
  handler: async (ctx, { name, failures }): Promise<string> => {
    const attempt: number = await ctx.runMutation(internal.runs.addAttempt, { name });
    if (attempt <= failures) throw new Error(`attempt ${attempt} failed`);
    return `attempt ${attempt}`;
  },
});

export const addAttempt = internalMutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) => {
    await ctx.db.insert("attempts", { name });
    const attempts = ctx.db.query("attempts").withIndex("by_name", (q) => q.eq("name", name));
    return (await attempts.collect()).length;
  },
});

export const ended = internalMutation({
  args: onCompleteValidator,
  handler: async (ctx, { runId, result }) => {
    await ctx.db.insert("endings", { runId, outcome: result.type });
  },
});

export const endings = query({
  args: { runId: runIdValidator },
  handler: async (ctx, { runId }) => {
    const all = await ctx.db.query("endings").collect();
    return all.filter((ending) => ending.runId === runId).map(({ outcome }) => outcome);
  },
});

export const attempts = query({
  args: { name: v.string() },
  handler: async (ctx, { name }) =>
    (
      await ctx.db
        .query("attempts")
        .withIndex("by_name", (q) => q.eq("name", name))
        .collect()
    ).length,
});

export const status = query({
  args: { runId: runIdValidator },
  handler: (ctx, { runId }) => retrier.status(ctx, runId),
});

export const cancel = mutation({
  args: { runId: runIdValidator },
  handler: (ctx, { runId }) => retrier.cancel(ctx, runId),
});

export const cleanup = mutation({
  args: { runId: runIdValidator },
  handler: (ctx, { runId }) => retrier.cleanup(ctx, runId),
});
