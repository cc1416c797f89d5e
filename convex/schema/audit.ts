import { defineTable } from "convex/server";
import { v } from "convex/values";
import { archiveFacts } from "../model/validators/files.ts";

/** The audit trail, retention and archives. */
export const auditTables = {
  /** The audit trail. Append-only; written only by `record` in model/audit.ts. The order is that of creation. */
  audit: defineTable({
    organizationId: v.id("organizations"),
    at: v.number(),
    /** "member", "api-key", or a word for another actor. */
    actor: v.string(),
    memberId: v.optional(v.id("members")),
    sessionId: v.optional(v.id("sessions")),
    keyId: v.optional(v.id("apiKeys")),
    /** How the session began, and its browser: the session's row does not outlive it. */
    method: v.optional(v.string()),
    agent: v.optional(v.string()),
    /** The IP address of the call; "unknown" if the deployment did not know it. Absent: nobody called, or an old row. */
    address: v.optional(v.string()),
    action: v.string(),
    /** The actor and the action's group, for filters. The sealer adds them to rows of earlier versions. */
    who: v.optional(v.string()),
    group: v.optional(v.string()),
    subject: v.string(),
    /** The changes, in words. */
    detail: v.optional(v.string()),
  })
    // Each index puts rows in the order of time, so none replaces another.
    .index("by_organization", ["organizationId"])
    .index("by_who", ["organizationId", "who"])
    .index("by_who_and_group", ["organizationId", "who", "group"])
    .index("by_who_and_action", ["organizationId", "who", "action"])
    .index("by_group", ["organizationId", "group"])
    .index("by_action", ["organizationId", "action"])
    .index("by_subject", ["organizationId", "subject"]),

  /** How long an organization keeps rows before they move into archives; days by kind. Written by model/archives/retention.ts. */
  retentions: defineTable({
    organizationId: v.id("organizations"),
    /** Kinds that are missing have the default. */
    days: v.record(v.string(), v.number()),
  }).index("by_organization", ["organizationId"]),

  /**
   * A file of rows that left the database. Written by model/archives/, which deletes the rows after it has stored the file and noted its
   * hash here. Archives are kept.
   */
  archives: defineTable({
    organizationId: v.id("organizations"),
    ...archiveFacts,
    storageId: v.id("_storage"),
    at: v.number(),
    /** Rows that are deleted by now. */
    cleared: v.number(),
    /** Absent until all of them are. */
    doneAt: v.optional(v.number()),
    /** Why no more of them can be deleted. */
    problem: v.optional(v.string()),
    /** Of the audit trail and of receipts: the newest seal that left the database with its rows. */
    seal: v.optional(v.object({ number: v.number(), to: v.number(), hash: v.string() })),
  })
    .index("by_number", ["organizationId", "kind", "number"])
    .index("by_time", ["organizationId", "at"])
    .index("by_storage", ["storageId"]),

  /** The hash chain over the audit trail; app/audit/chain.ts says what is hashed. Append-only; written by model/auditSeals.ts. */
  auditSeals: defineTable({
    organizationId: v.id("organizations"),
    number: v.number(),
    from: v.number(),
    to: v.number(),
    count: v.number(),
    rows: v.string(),
    previous: v.string(),
    hash: v.string(),
    at: v.number(),
  })
    .index("by_number", ["organizationId", "number"])
    .index("by_end", ["organizationId", "to"]),
};
