import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const schema = defineSchema({
  letters: defineTable({ box: v.string(), text: v.string() }).index("by_box", ["box"]),
});

// The framework's bundler looks for the default export.
export default schema;
