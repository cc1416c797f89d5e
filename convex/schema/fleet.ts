import { defineTable } from "convex/server";
import { v } from "convex/values";
import { attentionItem } from "../model/validators/alerts.ts";
import {
  bulkAct,
  bulkChosen,
  bulkState,
  bulkTarget,
  countedListing,
  deviceConcern,
  deviceCounts,
  deviceSpan,
  facetCount,
  listingFacts,
  placedBy,
  ruleFilters,
  viewSettings,
} from "../model/validators/fleet.ts";
import { owner } from "../model/validators/people.ts";

/** The console's lists of devices, and acts on many of them. */
export const fleetTables = {
  /**
   * An organization's devices by state, group, platform and version. Added up from `deviceListings` once a minute, by
   * model/fleet/countListings.ts.
   */
  deviceCounts: defineTable({
    organizationId: v.id("organizations"),
    states: deviceCounts,
    /** Absent in rows of earlier versions. */
    facets: v.optional(v.array(facetCount)),
    /** Changes of workers up to then are in `deviceListings`. Absent: none. */
    readTo: v.optional(v.number()),
  }).index("by_organization", ["organizationId"]),

  /**
   * The two numbers of devices that the overview shows. A row of its own, written only when one of them changes, so that no
   * other change runs the overview again. Written by model/fleet/counts.ts.
   */
  fleetTotals: defineTable({
    organizationId: v.id("organizations"),
    online: v.number(),
    donating: v.number(),
  }).index("by_organization", ["organizationId"]),

  /** Whether a fleet is too large to be counted with each change. Written by model/fleet/counts.ts when that changes. */
  fleetSizes: defineTable({
    organizationId: v.id("organizations"),
    isLarge: v.boolean(),
  }).index("by_organization", ["organizationId"]),

  /**
   * A device as lists filter and sort it: a copy of facts that stand in `devices` and in the queue's worker. Written by
   * model/fleet/listing.ts when one of them changes. A worker that is lost is noticed once a minute.
   */
  deviceListings: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    owner: v.optional(owner),
    name: v.string(),
    /** The name in the order of lists: small letters, and numbers by their value. */
    sortName: v.string(),
    ...listingFacts,
    placedBy: v.optional(placedBy),
    enrolledAt: v.number(),
    changedAt: v.number(),
    /** The facts that `deviceCounts` counts of it. Absent: none yet. */
    counted: v.optional(countedListing),
    /** Whether these differ from the device's facts. */
    recount: v.boolean(),
    /** Why it needs attention. Absent: nothing. */
    concerns: v.optional(v.array(deviceConcern)),
    /** Whether it needs attention. */
    attention: v.optional(v.boolean()),
    /** Whether it has ever donated. */
    hasDonated: v.optional(v.boolean()),
    /** When its concerns may change without a change of its facts. */
    recheckAt: v.optional(v.number()),
  })
    .index("by_device", ["deviceId"])
    .index("by_name", ["organizationId", "sortName"])
    .index("by_enrolled", ["organizationId", "enrolledAt"])
    .index("by_changed", ["organizationId", "changedAt"])
    .index("by_state_name", ["organizationId", "state", "sortName"])
    .index("by_state_enrolled", ["organizationId", "state", "enrolledAt"])
    .index("by_state_changed", ["organizationId", "state", "changedAt"])
    .index("by_owner_name", ["owner", "sortName"])
    .index("by_owner_enrolled", ["owner", "enrolledAt"])
    .index("by_owner_changed", ["owner", "changedAt"])
    .index("by_attention_name", ["organizationId", "attention", "sortName"])
    .index("by_attention_enrolled", ["organizationId", "attention", "enrolledAt"])
    .index("by_attention_changed", ["organizationId", "attention", "changedAt"])
    .index("by_recheck", ["organizationId", "recheckAt"])
    .index("by_recount", ["organizationId", "recount"])
    .searchIndex("search_name", {
      searchField: "name",
      filterFields: ["organizationId", "state", "owner", "platform", "version"],
    }),

  /** Rules that put devices into groups. The first one that a device fits places it. Written by model/fleet/groupRules/. */
  groupRules: defineTable({
    organizationId: v.id("organizations"),
    /** Its place in the order, from 0. */
    rank: v.number(),
    group: v.string(),
    filter: v.object(ruleFilters),
  }).index("by_rank", ["organizationId", "rank"]),

  /** A member's saved view of the devices. Written by model/fleet/views.ts. */
  deviceViews: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    name: v.string(),
    view: viewSettings,
    /** Whether all who see all devices have it, too. */
    shared: v.boolean(),
    createdAt: v.number(),
  })
    .index("by_member", ["memberId", "shared"])
    .index("by_shared", ["organizationId", "shared"]),

  /**
   * The states of a device on one day (UTC) with their reasons, for its timeline. Written at transitions by model/fleet/journal.ts, and
   * kept for eight days.
   */
  deviceDays: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    startAt: v.number(),
    spans: v.array(deviceSpan),
  }).index("by_device", ["deviceId", "startAt"]),

  /** All that needs attention in an organization: one row each. Written once a minute by model/alerts/attention.ts. */
  attention: defineTable({
    organizationId: v.id("organizations"),
    items: v.array(attentionItem),
  }).index("by_organization", ["organizationId"]),

  /** An act on many devices, from its preview to its undo. Kept for a week. Written by model/fleet/bulk/. */
  bulkActs: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    sessionId: v.id("sessions"),
    act: bulkAct,
    chosen: bulkChosen,
    state: bulkState,
    counts: v.object({ changes: v.number(), same: v.number(), cannot: v.number() }),
    /** Devices by what they were before, in words. */
    before: v.array(v.object({ words: v.string(), devices: v.number() })),
    batches: v.number(),
    /** Devices that are done, of those to change or to restore. */
    done: v.number(),
    /** From where the member asked for it. Absent in acts of earlier versions. */
    address: v.optional(v.string()),
    /** When the act began; pauses have this time. */
    actedAt: v.optional(v.number()),
    createdAt: v.number(),
  }).index("by_member", ["memberId"]),

  /** The devices of such an act. */
  bulkBatches: defineTable({
    bulkId: v.id("bulkActs"),
    index: v.number(),
    targets: v.array(bulkTarget),
  }).index("by_act", ["bulkId", "index"]),
};
