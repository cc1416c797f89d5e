import { v } from "convex/values";
import { mutation, query } from "./builders.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const lane = v.string();

export const add = mutation({
  args: { lane, count: v.number() },
  handler: async (ctx, { lane, count }) => {
    for (let turn = 0; turn < count; turn += 1) await ctx.db.insert("jobs", { lane, turn, claims: 0 });
    return null;
  },
});

/** Claims the first job of a lane: reads the head of an index range and writes that document. */
export const claim = mutation({
  args: { lane },
  handler: async (ctx, { lane }) => {
    const job = await ctx.db
      .query("jobs")
      .withIndex("by_lane", (q) => q.eq("lane", lane))
      .first();
    if (job === null) return null;
    await ctx.db.patch(job._id, { turn: job.turn + 1_000_000, claims: job.claims + 1 });
    return job._id;
  },
});

/** A device's subscription: the head of its lane. */
export const next = query({
  args: { lane },
  handler: async (ctx, { lane }) => {
    const job = await ctx.db
      .query("jobs")
      .withIndex("by_lane", (q) => q.eq("lane", lane))
      .first();
    return job === null ? null : { id: job._id, claims: job.claims };
  },
});
