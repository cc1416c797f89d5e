import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  attempts: defineTable({ email: v.string(), started: v.number(), ended: v.optional(v.number()) }).index(
    "by_email",
    ["email"],
  ),
  emailLog: defineTable({ batch: v.string(), email: v.string(), outcome: v.string() }).index("by_batch", [
    "batch",
  ]),
  counters: defineTable({ value: v.number() }),
});
