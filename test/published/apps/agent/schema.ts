import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  temperatures: defineTable({ city: v.string(), degrees: v.number() }).index("by_city", ["city"]),
});
