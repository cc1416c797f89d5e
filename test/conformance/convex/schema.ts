import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const schema = defineSchema({
  messages: defineTable({ channel: v.string(), body: v.string(), n: v.number() }).index("by_channel", [
    "channel",
    "n",
  ]),
  /** Values of every type, in the order of an index. */
  things: defineTable({ owner: v.string(), value: v.optional(v.any()) }).index("by_value", [
    "owner",
    "value",
  ]),
  /** A field of each kind of validator, for documents that do not fit. */
  typed: defineTable({
    name: v.string(),
    count: v.optional(v.number()),
    big: v.optional(v.int64()),
    raw: v.optional(v.bytes()),
    level: v.optional(v.union(v.literal("low"), v.literal("high"))),
    tags: v.optional(v.array(v.string())),
    scores: v.optional(v.record(v.string(), v.number())),
    thing: v.optional(v.id("things")),
    place: v.optional(v.object({ city: v.string() })),
  }),
  counters: defineTable({ name: v.string(), value: v.number() }).index("by_name", ["name"]),
});

// Convex requires a default export here.
export default schema;
