import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const row = { group: v.string(), n: v.number(), text: v.string() };

const schema = defineSchema({
  /** Two tables of the same kind, with 1,000 and 100,000 rows, to compare reads. */
  small: defineTable(row).index("by_group", ["group", "n"]),
  large: defineTable(row).index("by_group", ["group", "n"]),
  notes: defineTable({ client: v.number(), text: v.string() }),
  /** A queue that never runs empty: a claimed job moves to the end of its lane. */
  jobs: defineTable({ lane: v.string(), turn: v.number(), claims: v.number() }).index("by_lane", [
    "lane",
    "turn",
  ]),
  topics: defineTable({ name: v.string(), edition: v.number() }).index("by_name", ["name"]),
});

// The framework's bundler looks for the default export.
export default schema;
