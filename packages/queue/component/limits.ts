import { v } from "convex/values";
import { limitedBy } from "../shared/validators.ts";
import { type Doc, mutation, query } from "./model/builders.ts";
import { limitOf } from "./model/jobs/turns.ts";
import { setLimit } from "./model/limits/setLimit.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const limitView = v.object({
  of: limitedBy,
  name: v.string(),
  /** The most jobs that are ready or held at once; null: unlimited. */
  concurrency: v.union(v.number(), v.null()),
  weight: v.number(),
});

/** The most limits that `list` returns. Use `get` for others. */
const maxListed = 1_000;

export const set = mutation({
  args: {
    scope: v.string(),
    of: limitedBy,
    name: v.string(),
    concurrency: v.optional(v.union(v.number(), v.null())),
    weight: v.optional(v.union(v.number(), v.null())),
    actor: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, args) => {
    await setLimit(ctx, args, Date.now());
    return null;
  },
});

export const get = query({
  args: { scope: v.string(), of: limitedBy, name: v.string() },
  returns: v.union(limitView, v.null()),
  handler: async (ctx, { scope, of, name }) => {
    const limit = await limitOf(ctx, scope, of, name);
    return limit === null ? null : viewOf(limit);
  },
});

/** The first 1,000 limits, keys before requesters, by name. */
export const list = query({
  args: { scope: v.string() },
  returns: v.array(limitView),
  handler: async (ctx, { scope }) => {
    const limits = await ctx.db
      .query("limits")
      .withIndex("by_name", (q) => q.eq("scope", scope))
      .take(maxListed);
    return limits.map(viewOf);
  },
});

function viewOf({ of, name, concurrency, weight }: Doc<"limits">) {
  return { of, name, concurrency: concurrency ?? null, weight: weight ?? 1 };
}
