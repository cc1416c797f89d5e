import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import {
  activity,
  attemptStatus,
  capabilities,
  chatRequest,
  finishReason,
  jobStatus,
  modelSource,
  price,
  timing,
  usage,
} from "./model/validators.ts";

/**
 * Every table says who writes it. Rows that change often (leases, pending entries, chunks) live apart
 * from rows that somebody subscribes to. Each row of an organization carries its `organizationId`.
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

  /** Cold: written on enrolment and on transitions only (online, activity, capabilities, retired). */
  devices: defineTable({
    organizationId: v.id("organizations"),
    keyHash: v.string(),
    name: v.string(),
    platform: v.string(),
    version: v.string(),
    status: v.union(v.literal("active"), v.literal("retired")),
    online: v.boolean(),
    activity: v.union(activity, v.null()),
    capabilities,
    /** Counts its starts and changes of capabilities. */
    life: v.optional(v.number()),
    enrolledAt: v.number(),
    lastChangeAt: v.number(),
  })
    .index("by_hash", ["keyHash"])
    .index("by_organization_online", ["organizationId", "online"]),

  /**
   * Hot: one row per device, written by its calls when a third of the lease is gone, and by the janitor.
   * No query reads it, so a heartbeat wakes nobody.
   */
  leases: defineTable({
    deviceId: v.id("devices"),
    expiresAt: v.number(),
    lastSeenAt: v.number(),
    /** Whether a janitor's look at this lease is scheduled: exactly one at a time. */
    armed: v.boolean(),
    /** The same for the presence check. */
    presenceArmed: v.boolean(),
  }).index("by_device", ["deviceId"]),

  /** An organization's catalogue and price list. Written by setup. */
  models: defineTable({
    organizationId: v.id("organizations"),
    modelId: v.string(),
    sha256: v.string(),
    sizeBytes: v.number(),
    contextTokens: v.number(),
    source: modelSource,
    price,
    enabled: v.boolean(),
    createdAt: v.number(),
  }).index("by_organization_model", ["organizationId", "modelId"]),

  /** Written by requests.submit; `status` by model/jobs/move.ts alone. Never holds the prompt. */
  jobs: defineTable({
    organizationId: v.id("organizations"),
    apiKeyId: v.id("apiKeys"),
    modelId: v.string(),
    /** What it takes to run the job; for now its model. */
    lane: v.string(),
    status: jobStatus,
    /** Lower goes first; within a rank the oldest. */
    rank: v.number(),
    submittedAt: v.number(),
    startedAt: v.optional(v.number()),
    finishedAt: v.optional(v.number()),
    /** When its payload and result are deleted; set once final, cleared when done. */
    purgeAt: v.optional(v.number()),
    /** Attempts so far, and how many of them failed or were lost. */
    attempts: v.number(),
    failures: v.number(),
    /** The fence: only this attempt may write. */
    currentAttemptId: v.optional(v.id("attempts")),
    lastFailedDeviceId: v.optional(v.id("devices")),
    /** Devices that could not run the job's model, each in which of its lives: see model/jobs/unfit.ts. */
    unfit: v.optional(v.array(v.object({ deviceId: v.id("devices"), life: v.number() }))),
    /** Whether chunks are kept for a watcher. */
    watched: v.boolean(),
    price,
    reservedMicro: v.int64(),
    priceMicro: v.optional(v.int64()),
    usage: v.optional(usage),
    error: v.optional(v.object({ code: v.string(), message: v.string() })),
    idempotencyKey: v.optional(v.string()),
    /**
     * SHA-256 of what was asked: tells a repeat from another request under the same idempotency key. Goes with
     * the prompt.
     */
    fingerprint: v.optional(v.string()),
  })
    .index("by_candidate", ["organizationId", "lane", "status", "rank", "submittedAt"])
    .index("by_organization", ["organizationId", "submittedAt"])
    .index("by_organization_status", ["organizationId", "status", "submittedAt"])
    .index("by_idempotency", ["apiKeyId", "idempotencyKey"])
    .index("by_key_status", ["apiKeyId", "status"])
    .index("by_purge", ["purgeAt"]),

  /** The prompt. Written by requests.submit, deleted by maintenance.purge. */
  payloads: defineTable({ jobId: v.id("jobs"), request: chatRequest }).index("by_job", ["jobId"]),

  /** The answer. Written by work.complete, deleted by maintenance.purge. */
  results: defineTable({ jobId: v.id("jobs"), text: v.string(), finishReason }).index("by_job", ["jobId"]),

  /** One device's try at a job. Written by model/jobs/. */
  attempts: defineTable({
    organizationId: v.id("organizations"),
    jobId: v.id("jobs"),
    deviceId: v.id("devices"),
    modelId: v.string(),
    number: v.number(),
    status: attemptStatus,
    startedAt: v.number(),
    endedAt: v.optional(v.number()),
    usage: v.optional(usage),
    timing: v.optional(timing),
    price,
    earnedMicro: v.optional(v.int64()),
    error: v.optional(v.object({ code: v.string(), message: v.string() })),
    releaseReason: v.optional(v.string()),
  })
    .index("by_job", ["jobId", "number"])
    .index("by_device", ["deviceId", "startedAt"])
    .index("by_device_status", ["deviceId", "status"]),

  /** Streamed text of a watched attempt. Written by work.append, deleted by maintenance.deleteChunks. */
  chunks: defineTable({
    jobId: v.id("jobs"),
    attemptId: v.id("attempts"),
    seq: v.number(),
    text: v.string(),
    /** UTF-8 bytes of the attempt's text up to this chunk's end. Here, since work.held reads attempts. */
    endBytes: v.optional(v.number()),
  })
    .index("by_attempt", ["attemptId", "seq"])
    .index("by_job", ["jobId"]),

  /** The truth about money: append-only, written by model/ledger/transfer.ts alone. */
  ledgerEntries: defineTable({
    organizationId: v.id("organizations"),
    /** Entries under one key belong to one transfer and sum to zero; a key is booked once. */
    transferKey: v.string(),
    kind: v.union(v.literal("issue"), v.literal("reserve"), v.literal("settle"), v.literal("release")),
    account: v.string(),
    micro: v.int64(),
    at: v.number(),
    jobId: v.optional(v.id("jobs")),
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

  /** The same by kind of account: one row per organization. Written by the projector alone. */
  ledgerTotals: defineTable({
    organizationId: v.id("organizations"),
    byKind: v.object({ issuance: v.int64(), key: v.int64(), escrow: v.int64(), device: v.int64() }),
  }).index("by_organization", ["organizationId"]),

  /** What a device earned in a quarter of an hour (every time zone's day starts on one). By the projector. */
  earnings: defineTable({
    account: v.string(),
    startAt: v.number(),
    micro: v.int64(),
    jobs: v.number(),
  }).index("by_account", ["account", "startAt"]),

  /** Final jobs counted per status. Written by the projector alone. */
  tallies: defineTable({
    organizationId: v.id("organizations"),
    status: jobStatus,
    count: v.number(),
  }).index("by_organization", ["organizationId", "status"]),

  /** Final jobs not yet counted. Written by move, deleted by the projector. */
  tallyPending: defineTable({ organizationId: v.id("organizations"), status: jobStatus }).index(
    "by_organization",
    ["organizationId", "status"],
  ),

  /** Who did what. Append-only; written by setup, admin and enrolment. */
  audit: defineTable({
    organizationId: v.id("organizations"),
    at: v.number(),
    actor: v.string(),
    action: v.string(),
    subject: v.string(),
  }).index("by_organization", ["organizationId"]),
});
