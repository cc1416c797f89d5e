import { defineSchema, defineTable } from "convex/server";
import { v, type Value, type VAny } from "convex/values";

/** A job's task. */
export const anything = v.any() as VAny<Value>;

const schema = defineSchema({
  workers: defineTable({ keyHash: v.string(), lastSeen: v.number() }).index("by_key", ["keyHash"]),
  /** Answers. Each addition rewrites the whole answer. */
  messages: defineTable({
    text: v.string(),
    state: v.union(v.literal("generating"), v.literal("success"), v.literal("failed")),
  }),
  /** The queue: one table for waiting, running and finished jobs. */
  jobs: defineTable({
    status: v.union(
      v.literal("pending"),
      v.literal("inProgress"),
      v.literal("success"),
      v.literal("failed"),
      v.literal("timedOut"),
    ),
    /** The time of the last change or heartbeat. For a pending job, the time of its submission. */
    lastUpdate: v.number(),
    messageId: v.id("messages"),
    payload: anything,
    workerId: v.optional(v.id("workers")),
    timeOutId: v.optional(v.id("_scheduled_functions")),
  })
    .index("by_status", ["status", "lastUpdate"])
    .index("by_message", ["messageId"]),
});

// The framework's bundler looks for the default export.
export default schema;
