import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const schema = defineSchema({
  messages: defineTable({ channel: v.string(), body: v.string(), n: v.number() }).index("by_channel", [
    "channel",
    "n",
  ]),
  counters: defineTable({ name: v.string(), value: v.number() }).index("by_name", ["name"]),
});

// The framework's bundler looks for the default export.
export default schema;
