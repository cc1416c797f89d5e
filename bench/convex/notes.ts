import { v } from "convex/values";
import { mutation } from "./builders.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Writes one document. */
export const write = mutation({
  args: { client: v.number(), text: v.string() },
  handler: async (ctx, note) => {
    await ctx.db.insert("notes", note);
    return null;
  },
});
