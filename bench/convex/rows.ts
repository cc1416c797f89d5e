import { v } from "convex/values";
import { mutation, query } from "./builders.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const table = v.union(v.literal("small"), v.literal("large"));
/** About the size of a chat message or of a job. */
const text = "A document of a usual size, with a sentence or two in it. ".repeat(4);

/** Inserts rows `from` to `from + count`, a hundred to a group. */
export const fill = mutation({
  args: { table, from: v.number(), count: v.number() },
  handler: async (ctx, { table, from, count }) => {
    for (let n = from; n < from + count; n += 1) {
      await ctx.db.insert(table, { group: `g${Math.floor(n / 100)}`, n, text: text });
    }
    return null;
  },
});

/** Ten documents of one group, by the index. */
export const ten = query({
  args: { table, group: v.string(), from: v.number() },
  handler: (ctx, { table, group, from }) =>
    ctx.db
      .query(table)
      .withIndex("by_group", (q) => q.eq("group", group).gte("n", from))
      .take(10),
});
