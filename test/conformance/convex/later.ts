import { makeFunctionReference } from "convex/server";
import { v } from "convex/values";
import { action, internalAction, internalMutation, mutation, query } from "./builders.ts";

const appendReference = makeFunctionReference<"mutation", { channel: string; body: string }>("later:append");

export const schedule = mutation({
  args: { channel: v.string(), body: v.string(), delayMs: v.number() },
  handler: (ctx, { delayMs, ...args }) => ctx.scheduler.runAfter(delayMs, appendReference, args),
});

export const scheduleAt = mutation({
  args: { channel: v.string(), body: v.string(), at: v.number() },
  handler: (ctx, { at, ...args }) => ctx.scheduler.runAt(at, appendReference, args),
});

const runsReference = makeFunctionReference<"action", { channel: string; body: string; fails: boolean }>(
  "later:runs",
);

/** Schedules from an action, in a separate transaction that stays even if the action fails. */
export const scheduleFromAction = action({
  args: {
    channel: v.string(),
    body: v.string(),
    delayMs: v.number(),
    cancels: v.boolean(),
    fails: v.boolean(),
  },
  handler: async (ctx, { channel, body, delayMs, cancels, fails }) => {
    const id = await ctx.scheduler.runAfter(delayMs, appendReference, { channel, body });
    if (cancels) await ctx.scheduler.cancel(id);
    if (fails) throw new Error("after scheduling");
    return id;
  },
});

export const scheduleAction = mutation({
  args: { channel: v.string(), body: v.string(), fails: v.boolean() },
  handler: (ctx, args) => ctx.scheduler.runAfter(0, runsReference, args),
});

export const runs = internalAction({
  args: { channel: v.string(), body: v.string(), fails: v.boolean() },
  handler: async (ctx, { fails, ...args }) => {
    await ctx.runMutation(appendReference, args);
    if (fails) throw new Error("after writing");
  },
});

const failsReference = makeFunctionReference<"mutation", { channel: string }>("later:fails");

export const scheduleFailing = mutation({
  args: { channel: v.string() },
  handler: (ctx, args) => ctx.scheduler.runAfter(0, failsReference, args),
});

export const fails = internalMutation({
  args: { channel: v.string() },
  handler: async (ctx, { channel }) => {
    await ctx.db.insert("messages", { channel, body: "never", n: 0 });
    throw new Error("in the background");
  },
});

/** Returns a row of `_scheduled_functions` without its ids and times. */
export const row = query({
  args: { id: v.id("_scheduled_functions") },
  handler: async (ctx, { id }) => {
    const job = await ctx.db.system.get(id);
    if (job === null) return null;
    const { name, args, state, scheduledTime, completedTime } = job;
    return { name, args, state, scheduledTime, isCompleted: completedTime !== undefined };
  },
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
