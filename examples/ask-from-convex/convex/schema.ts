import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

// Convex requires a default export here.
export default defineSchema({
  /** Letters, and whether they are friendly: null until a model has said so. */
  letters: defineTable({ text: v.string(), mood: v.union(v.string(), v.null()) }),
});
