import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalMutation, internalQuery } from "./_generated/server";

export const countNotes = internalQuery({
  args: { text: v.string() },
  handler: async (ctx, { text }) =>
    (
      await ctx.db
        .query("notes")
        .withIndex("by_text", (q) => q.eq("text", text))
        .collect()
    ).length,
});

export const note = internalMutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    await ctx.db.insert("notes", { text });
    return text.length;
  },
});

export const shout = internalAction({
  args: { text: v.string() },
  handler: async (_ctx, { text }) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return text.toUpperCase();
  },
});

/** Fails a few times, then succeeds. */
export const shaky = internalAction({
  args: { name: v.string(), failures: v.number() },
  handler: async (ctx, { name, failures }): Promise<number> => {
    await ctx.runMutation(internal.steps.note, { text: name });
    const attempts = await ctx.runQuery(internal.steps.countNotes, { text: name });
    if (attempts <= failures) throw new Error(`${name} failed`);
    return attempts;
  },
});
