import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  profiles: defineTable({ authId: v.string(), name: v.string() }).index("by_auth", ["authId"]),
});
