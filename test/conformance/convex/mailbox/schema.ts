import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const schema = defineSchema({
  letters: defineTable({ box: v.string(), text: v.string() }).index("by_box", ["box"]),
});

// Convex requires a default export here.
export default schema;
