import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const schema = defineSchema({
  /** Accepts anything: for values, their order, and queries. */
  items: defineTable(v.any())
    .index("by_key", ["key"])
    .index("by_key_other", ["key", "other"])
    .index("by_deep", ["nested.deep"]),
  /** One field of every kind of validator. */
  strict: defineTable({
    int: v.int64(),
    number: v.optional(v.number()),
    text: v.optional(v.string()),
    flag: v.optional(v.boolean()),
    bytes: v.optional(v.bytes()),
    nothing: v.optional(v.null()),
    choice: v.optional(v.union(v.literal("a"), v.literal(1), v.number())),
    list: v.optional(v.array(v.number())),
    item: v.optional(v.id("items")),
    object: v.optional(v.object({ a: v.number(), b: v.optional(v.any()) })),
  }).index("by_int", ["int", "number"]),
  /** For pages and searches, which ../model checks. */
  notes: defineTable(v.any())
    .index("by_key", ["key"])
    .searchIndex("search_body", { searchField: "body", filterFields: ["topic"] })
    .vectorIndex("by_vector", { vectorField: "vector", dimensions: 2, filterFields: ["topic"] }),
});

// Convex requires a default export here.
export default schema;
