import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  tasks: defineTable({
    text: v.string(),
    priority: v.optional(v.number()),
    done: v.optional(v.boolean()),
  }).index("by_priority", ["priority"]),
});
