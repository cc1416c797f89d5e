import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  attempts: defineTable({ name: v.string() }).index("by_name", ["name"]),
  endings: defineTable({ runId: v.string(), outcome: v.string() }),
});
