import { defineTable } from "convex/server";
import { v } from "convex/values";
import { policyRules, previewSums } from "../model/validators/devices.ts";

/** Rules for devices, and previews of drafts. */
export const policyTables = {
  /** Versions of an organization's rules for its devices; the highest is in force. Written by console/policy. */
  policies: defineTable({
    organizationId: v.id("organizations"),
    /** A group of devices whose rules override the organization's; "" for the whole organization. */
    group: v.string(),
    version: v.number(),
    rules: policyRules,
    at: v.number(),
    actor: v.string(),
    /** The changes, in words. */
    changes: v.array(v.string()),
    /** Why, in the author's words. */
    reason: v.optional(v.string()),
  }).index("by_group", ["organizationId", "group", "version"]),

  /**
   * A draft of rules that devices are asked to replay, until its end. One row per member. Devices watch the open ones of their
   * groups, so nothing here changes but `isOpen`. This and the next three are written by model/policies/preview.ts.
   */
  policyPreviews: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    group: v.string(),
    rules: policyRules,
    at: v.number(),
    spreadMs: v.number(),
    isOpen: v.boolean(),
  })
    .index("by_open", ["organizationId", "isOpen", "group"])
    .index("by_member", ["memberId"]),

  /** The devices that a preview is for, counted at its start. */
  policyPreviewFleets: defineTable({
    organizationId: v.id("organizations"),
    previewId: v.id("policyPreviews"),
    online: v.number(),
    offline: v.number(),
  }).index("by_preview", ["previewId"]),

  /** The answers to a preview, added up in a few rows. */
  policyPreviewSums: defineTable({
    organizationId: v.id("organizations"),
    previewId: v.id("policyPreviews"),
    shard: v.number(),
    sums: previewSums,
  }).index("by_preview", ["previewId", "shard"]),

  /** The last previews that a device answered, newest first. */
  policyAnswers: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    previewIds: v.array(v.id("policyPreviews")),
  }).index("by_device", ["deviceId"]),
};
