import { v } from "convex/values";
import { mutation } from "./builders.ts";

/** Writes one document. */
export const write = mutation({
  args: { client: v.number(), text: v.string() },
  handler: async (ctx, note) => {
    await ctx.db.insert("notes", note);
    return null;
  },
});
