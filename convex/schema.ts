import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import {
  activity,
  deviceModel,
  modelSource,
  outcome,
  policyRules,
  price,
  usage,
} from "./model/validators.ts";

/**
 * Every table says who writes it. Jobs, attempts and workers are the queue's, a component with tables of its own
 * (queue/schema.ts). Rows that change often (pending entries) live apart from rows that somebody subscribes to. Each row of an organization carries its `organizationId`.
 */
export default defineSchema({
  /** Written by setup. */
  organizations: defineTable({ name: v.string(), createdAt: v.number() }),

  /** Written by setup (made) and admin.signIn (used). One use each. */
  signInLinks: defineTable({
    organizationId: v.id("organizations"),
    tokenHash: v.string(),
    role: v.literal("admin"),
    expiresAt: v.number(),
    usedAt: v.optional(v.number()),
  }).index("by_hash", ["tokenHash"]),

  /** Written by admin.signIn; deleted by admin.signOut and, at `expiresAt`, by maintenance.endSession. */
  sessions: defineTable({
    organizationId: v.id("organizations"),
    sessionHash: v.string(),
    role: v.literal("admin"),
    expiresAt: v.number(),
  }).index("by_hash", ["sessionHash"]),

  /** Written by setup and the admin's key calls. `prefix` is the part that may be shown. */
  apiKeys: defineTable({
    organizationId: v.id("organizations"),
    keyHash: v.string(),
    name: v.string(),
    prefix: v.string(),
    createdAt: v.number(),
    revokedAt: v.optional(v.number()),
    /** All its jobs are of this class: only devices that are allowed it get them. */
    dataClass: v.optional(v.string()),
  })
    .index("by_hash", ["keyHash"])
    .index("by_organization", ["organizationId"]),

  /** Written by setup, the admin's code calls, and devices.enroll (`used`). */
  enrolmentCodes: defineTable({
    organizationId: v.id("organizations"),
    codeHash: v.string(),
    label: v.string(),
    uses: v.number(),
    used: v.number(),
    createdAt: v.number(),
    expiresAt: v.number(),
    revokedAt: v.optional(v.number()),
  })
    .index("by_hash", ["codeHash"])
    .index("by_organization", ["organizationId"]),

  /**
   * Who a device is, for its organization. What it can do, whether it is online, its groups and data classes are the
   * queue's to know, where it is a worker. Cold: written on enrolment, on retirement, by devices.report and by
   * adminQueue.labelDevice.
   */
  devices: defineTable({
    organizationId: v.id("organizations"),
    /** In the queue; its `externalId` there is this row's id. */
    workerId: v.string(),
    keyHash: v.string(),
    name: v.string(),
    platform: v.string(),
    status: v.union(v.literal("active"), v.literal("retired")),
    activity: v.union(activity, v.null()),
    /** What it said that it cannot know about its computer. */
    unknownFacts: v.optional(v.array(v.string())),
    /** The same as the queue's, copied: `me` is watched by every device, and the queue's row changes more often. */
    groups: v.optional(v.array(v.string())),
    enrolledAt: v.number(),
    lastChangeAt: v.number(),
  })
    .index("by_hash", ["keyHash"])
    .index("by_organization", ["organizationId"]),

  /** An organization's catalogue and price list. Written by setup and adminModels. */
  models: defineTable({
    organizationId: v.id("organizations"),
    modelId: v.string(),
    sha256: v.string(),
    sizeBytes: v.number(),
    contextTokens: v.number(),
    source: modelSource,
    licence: v.optional(v.string()),
    template: v.optional(v.string()),
    /** How many hashes stand in `modelPieces`. */
    pieceCount: v.optional(v.number()),
    price,
    /** False once it is retired. */
    enabled: v.boolean(),
    createdAt: v.number(),
  }).index("by_organization_model", ["organizationId", "modelId"]),

  /** The hashes of a model's pieces: kilobytes that only a download reads. Written with the model. */
  modelPieces: defineTable({
    organizationId: v.id("organizations"),
    sha256: v.string(),
    pieceBytes: v.number(),
    pieceHashes: v.array(v.string()),
  }).index("by_organization_hash", ["organizationId", "sha256"]),

  /** Where the models stand on a device, in one row. Written by devices.reportModels, seldom. */
  deviceModels: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    models: v.array(deviceModel),
    reportedAt: v.number(),
  })
    .index("by_device", ["deviceId"])
    .index("by_organization", ["organizationId"]),

  /** Versions of an organization's rules for its devices; the highest is in force. Written by adminPolicy. */
  policies: defineTable({
    organizationId: v.id("organizations"),
    /** A group of devices for which they stand before the organization's; "" for the whole organization. */
    group: v.string(),
    version: v.number(),
    rules: policyRules,
    at: v.number(),
    actor: v.string(),
    /** What became different, in words. */
    changes: v.array(v.string()),
  }).index("by_group", ["organizationId", "group", "version"]),

  /**
   * By which devices of one office know each other. Devices have to have it in clear, so it is no hash; it opens
   * nothing but pieces of models on other devices. Written by model/sharing/.
   */
  sharingSecrets: defineTable({
    organizationId: v.id("organizations"),
    secret: v.string(),
    /** Still good for devices that have not heard of the new one yet. */
    previous: v.union(v.string(), v.null()),
    rotatedAt: v.number(),
  }).index("by_organization", ["organizationId"]),

  /**
   * What a job of the queue costs, and whom: the app's part of it. Written by requests.submit, closed by jobs.onFinal,
   * opened again by a retry from the dead letters. Never holds the prompt.
   */
  orders: defineTable({
    /** In the queue. */
    jobId: v.string(),
    organizationId: v.id("organizations"),
    apiKeyId: v.id("apiKeys"),
    modelId: v.string(),
    price,
    /** What true counts can be at most: the model's context, and the tokens that were asked for. */
    most: usage,
    /** How many vectors an embedding job is answered with. */
    vectors: v.optional(v.number()),
    reservedMicro: v.int64(),
    /** Counts the lives of the job, from 0: each reserves, and is closed, once. */
    round: v.number(),
    /** Once it is paid. */
    priceMicro: v.optional(v.int64()),
    usage: v.optional(usage),
  })
    .index("by_job", ["jobId"])
    .index("by_key", ["apiKeyId"]),

  /** The truth about money: append-only, written by model/ledger/transfer.ts alone. */
  ledgerEntries: defineTable({
    organizationId: v.id("organizations"),
    /** Entries under one key belong to one transfer and sum to zero; a key is booked once. */
    transferKey: v.string(),
    kind: v.union(v.literal("issue"), v.literal("reserve"), v.literal("settle"), v.literal("release")),
    account: v.string(),
    micro: v.int64(),
    at: v.number(),
    jobId: v.optional(v.string()),
  })
    .index("by_transfer", ["transferKey"])
    .index("by_organization", ["organizationId"]),

  /** Entries not yet folded into `accounts`. Written by transfer, deleted by the projector. */
  ledgerPending: defineTable({
    organizationId: v.id("organizations"),
    transferKey: v.string(),
    account: v.string(),
    micro: v.int64(),
    at: v.number(),
    /** 1 on the entry that pays a device for a job, else 0. */
    jobs: v.number(),
    /** On the entry that closes a reservation: how the job ended. */
    outcome: v.optional(outcome),
  })
    .index("by_transfer", ["transferKey"])
    .index("by_account", ["account"])
    .index("by_organization", ["organizationId"]),

  /** The projection: balances without the pending entries. Written by the projector alone. */
  accounts: defineTable({
    organizationId: v.id("organizations"),
    account: v.string(),
    balanceMicro: v.int64(),
    jobs: v.number(),
  })
    .index("by_account", ["account"])
    .index("by_organization", ["organizationId"]),

  /** The same by kind of account, and how many jobs ended how: one row per organization. By the projector alone. */
  ledgerTotals: defineTable({
    organizationId: v.id("organizations"),
    ended: v.object({
      succeeded: v.number(),
      failed: v.number(),
      canceled: v.number(),
      expired: v.number(),
    }),
    byKind: v.object({ issuance: v.int64(), key: v.int64(), escrow: v.int64(), device: v.int64() }),
  }).index("by_organization", ["organizationId"]),

  /** What a device earned in a quarter of an hour (every time zone's day starts on one). By the projector. */
  earnings: defineTable({
    account: v.string(),
    startAt: v.number(),
    micro: v.int64(),
    jobs: v.number(),
  }).index("by_account", ["account", "startAt"]),

  /** Who did what. Append-only; written by setup, admin and enrolment. */
  audit: defineTable({
    organizationId: v.id("organizations"),
    at: v.number(),
    actor: v.string(),
    action: v.string(),
    subject: v.string(),
    /** What became different, in words. */
    detail: v.optional(v.string()),
  }).index("by_organization", ["organizationId"]),
});
