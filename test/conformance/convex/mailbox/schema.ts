import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const schema = defineSchema({
  letters: defineTable({ box: v.string(), text: v.string() }).index("by_box", ["box"]),
});

// Convex wants schema.ts to export it by default.
export default schema;
