import { makeFunctionReference } from "convex/server";
import { v } from "convex/values";
import { internalMutation, mutation, query } from "./builders.ts";

const appendReference = makeFunctionReference<"mutation", { channel: string; body: string }>("later:append");

export const schedule = mutation({
  args: { channel: v.string(), body: v.string(), delayMs: v.number() },
  handler: (ctx, { delayMs, ...args }) => ctx.scheduler.runAfter(delayMs, appendReference, args),
});

export const scheduleThenFail = mutation({
  args: { channel: v.string() },
  handler: async (ctx, { channel }) => {
    await ctx.scheduler.runAfter(0, appendReference, { channel, body: "never" });
    throw new Error("rolled back");
  },
});

export const cancel = mutation({
  args: { id: v.id("_scheduled_functions") },
  handler: (ctx, { id }) => ctx.scheduler.cancel(id),
});

export const state = query({
  args: { id: v.id("_scheduled_functions") },
  handler: async (ctx, { id }) => (await ctx.db.system.get(id))?.state.kind ?? null,
});

export const append = internalMutation({
  args: { channel: v.string(), body: v.string() },
  handler: async (ctx, args) => {
    await ctx.db.insert("messages", { ...args, n: 0 });
  },
});
