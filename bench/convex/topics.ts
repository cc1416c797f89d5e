import { v } from "convex/values";
import { mutation, query } from "./builders.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

export const publish = mutation({
  args: { name: v.string(), edition: v.number() },
  handler: async (ctx, { name, edition }) => {
    const topic = await ctx.db
      .query("topics")
      .withIndex("by_name", (q) => q.eq("name", name))
      .unique();
    if (topic === null) await ctx.db.insert("topics", { name, edition });
    else await ctx.db.patch(topic._id, { edition });
    return null;
  },
});

/** `reader` makes a separate query for each subscriber, although all read the same document. */
export const edition = query({
  args: { name: v.string(), reader: v.number() },
  handler: async (ctx, { name }) => {
    const topic = await ctx.db
      .query("topics")
      .withIndex("by_name", (q) => q.eq("name", name))
      .unique();
    return topic?.edition ?? 0;
  },
});
