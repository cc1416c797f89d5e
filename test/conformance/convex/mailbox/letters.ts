import { type FunctionHandle, makeFunctionReference } from "convex/server";
import { v } from "convex/values";
import { action, internalMutation, mutation, query } from "./builders.ts";

type Delivery = { channel: string; body: string };
const putReference = makeFunctionReference<"mutation", { box: string; text: string }>("letters:put");
const letter = { box: v.string(), text: v.string() };
const call = { handle: v.string(), channel: v.string(), body: v.string() };

function asHandle(handle: string): FunctionHandle<"mutation", Delivery> {
  return handle as FunctionHandle<"mutation", Delivery>;
}

export const put = mutation({
  args: letter,
  handler: async (ctx, args) => {
    await ctx.db.insert("letters", args);
  },
});

export const putAndFail = mutation({
  args: letter,
  handler: async (ctx, args) => {
    await ctx.db.insert("letters", args);
    throw new Error("the component failed");
  },
});

export const list = query({
  args: { box: v.string() },
  handler: async (ctx, { box }) => {
    const letters = await ctx.db
      .query("letters")
      .withIndex("by_box", (q) => q.eq("box", box))
      .collect();
    return letters.map(({ text }) => text);
  },
});

/** Not even the app may call it. */
export const hidden = internalMutation({ args: {}, handler: () => "hidden" });

export const user = query({ args: {}, handler: (ctx) => ctx.auth.getUserIdentity() });

export const userByAction = action({ args: {}, handler: (ctx) => ctx.auth.getUserIdentity() });

/** Calls the app's function by its handle, and records whether it failed. */
export const callBack = mutation({
  args: { ...call, box: v.string() },
  handler: async (ctx, { box, handle, ...delivery }) => {
    const text = await ctx.runMutation(asHandle(handle), delivery).then(
      () => "delivered",
      () => "failed",
    );
    await ctx.db.insert("letters", { box, text });
  },
});

export const putLater = mutation({
  args: letter,
  handler: async (ctx, args) => {
    await ctx.scheduler.runAfter(0, putReference, args);
  },
});

export const callBackLater = mutation({
  args: call,
  handler: async (ctx, { handle, ...delivery }) => {
    await ctx.scheduler.runAfter(0, asHandle(handle), delivery);
  },
});

/** Returns the component's own scheduled functions that put into a box. */
export const scheduled = query({
  args: {},
  handler: async (ctx) => {
    const jobs = await ctx.db.system.query("_scheduled_functions").collect();
    return jobs.map(({ name, args, state }) => ({ name, args, state: state.kind }));
  },
});
