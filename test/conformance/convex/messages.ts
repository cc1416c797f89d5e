import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import { mutation, query } from "./builders.ts";

const channel = v.string();

export const list = query({
  args: { channel },
  handler: async (ctx, args) => {
    const messages = await ctx.db
      .query("messages")
      .withIndex("by_channel", (q) => q.eq("channel", args.channel))
      .collect();
    return messages.map((message) => message.body);
  },
});

/** Random numbers differ from run to run, so a client sees whether the query ran again. */
export const listWithRun = query({
  args: { channel },
  handler: async (ctx, args) => {
    const messages = await ctx.db
      .query("messages")
      .withIndex("by_channel", (q) => q.eq("channel", args.channel))
      .collect();
    return { count: messages.length, run: Math.random() };
  },
});

export const page = query({
  args: { channel, paginationOpts: paginationOptsValidator },
  handler: (ctx, args) =>
    ctx.db
      .query("messages")
      .withIndex("by_channel", (q) => q.eq("channel", args.channel))
      .paginate(args.paginationOpts),
});

export const send = mutation({
  args: { channel, body: v.string(), n: v.optional(v.number()) },
  handler: async (ctx, { n, ...message }) => ctx.db.insert("messages", { ...message, n: n ?? 0 }),
});

/** One transaction: a client sees all of them or none. */
export const sendMany = mutation({
  args: { channel, count: v.number(), size: v.optional(v.number()) },
  handler: async (ctx, args) => {
    for (let n = 0; n < args.count; n++) {
      await ctx.db.insert("messages", { channel: args.channel, body: "x".repeat(args.size ?? 1), n });
    }
  },
});

export const remove = mutation({
  args: { id: v.id("messages") },
  handler: (ctx, { id }) => ctx.db.delete(id),
});
