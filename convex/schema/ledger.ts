import { defineTable } from "convex/server";
import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { checkMode } from "../model/trust/validators.ts";
import {
  amountsByKind,
  creditMoveKind,
  earnedOfDevice,
  houseRules,
  keyCharge,
  keyFree,
  keyMoveSource,
  lot,
  paidPeriod,
  payoutState,
} from "../model/validators/credits.ts";
import { owner } from "../model/validators/people.ts";
import { outcome } from "../model/validators/requests.ts";

/** Credits: the ledger, balances, earnings and payouts. */
export const ledgerTables = {
  /** The source of truth about money. Append-only; written only by model/ledger/transfer.ts. */
  ledgerEntries: defineTable({
    organizationId: v.id("organizations"),
    /** Entries with one key are one transfer and sum to zero. A key is booked once. */
    transferKey: v.string(),
    kind: literals("issue", "reserve", "settle", "release", "move", "payout", "expire"),
    account: v.string(),
    micro: v.int64(),
    at: v.number(),
    jobId: v.optional(v.string()),
    /** Of the job's price: app/money/price-list.ts. Absent in entries of no job, and in old ones. */
    priceVersion: v.optional(v.string()),
  })
    .index("by_transfer", ["transferKey"])
    .index("by_organization", ["organizationId"]),

  /** Entries that are not in `accounts` yet. Written by transfer.ts, deleted by the projector. */
  ledgerPending: defineTable({
    organizationId: v.id("organizations"),
    transferKey: v.string(),
    account: v.string(),
    micro: v.int64(),
    at: v.number(),
    /** 1 on the entry that pays a device for a job, else 0. */
    jobs: v.number(),
    /** How the job ended; only on the entry that closes a reservation. */
    outcome: v.optional(outcome),
    /** The addition of a key's job to the use of its day, besides `micro`. `at`: the time of its submission. */
    counts: v.optional(v.object({ at: v.number(), requests: v.number(), tokens: v.number() })),
    /** The start of the month (UTC) in which the credits were earned. Absent: that of `at`. */
    earnedAt: v.optional(v.number()),
    /** The part of a device's pay that bonus hours added. */
    bonusMicro: v.optional(v.int64()),
    /** To whom the device belonged when it was paid; null: to nobody. Absent in other entries, and in those of earlier versions. */
    owner: v.optional(v.union(owner, v.null())),
    /** Set on debits of devices that take pay back. */
    takenBack: v.optional(v.boolean()),
    /** Set on debits of keys that `keyHolds` has. */
    held: v.optional(v.boolean()),
    /** Set on entries that only move credits between keys and escrow: totals tell the two together. */
    reserves: v.optional(v.boolean()),
  })
    .index("by_transfer", ["transferKey"])
    .index("by_account", ["account"])
    .index("by_organization_reserves", ["organizationId", "reserves"]),

  /** The projection: balances without the pending entries. Written only by the projector. */
  accounts: defineTable({
    organizationId: v.id("organizations"),
    account: v.string(),
    balanceMicro: v.int64(),
    jobs: v.number(),
    /** The balance of a device or a wallet by the months in which it was earned. Absent in rows of earlier versions. */
    lots: v.optional(v.array(lot)),
    /** The part of its earnings that its owner has moved elsewhere. Absent: nothing. */
    movedMicro: v.optional(v.int64()),
    /** All debits of a key that `keyHolds` had and that are in the balance now. Absent: none. */
    heldMicro: v.optional(v.int64()),
  })
    .index("by_account", ["account"])
    .index("by_organization", ["organizationId"]),

  /**
   * Debits of a key, noted by the submissions that make them: so its balance never falls below zero before the projector has added them. Several rows
   * share the key's balance, so that its calls do not conflict. Written by model/ledger/holds.ts.
   */
  keyHolds: defineTable({
    apiKeyId: v.id("apiKeys"),
    /** From 0. The last one is for batches. */
    shard: v.number(),
    /** Credits that only submissions of this row may take. */
    leftMicro: v.int64(),
    /** All that they have ever taken. `accounts.heldMicro` says how much of all rows is projected. */
    spentMicro: v.int64(),
  }).index("by_key", ["apiKeyId", "shard"]),

  /**
   * How much of their bounds the jobs of a key used, by model and by the size of the limit: app/money/likely.ts. Written once a minute by
   * model/ledger/likely.ts, never by a job.
   */
  jobShares: defineTable({
    apiKeyId: v.id("apiKeys"),
    modelId: v.string(),
    boundClass: v.number(),
    prompt: v.array(v.number()),
    answer: v.array(v.number()),
  }).index("by_key", ["apiKeyId", "modelId", "boundClass"]),

  /** The part of it that submissions read. Apart, since it changes seldom. Written by model/ledger/likely.ts. */
  likelyShares: defineTable({
    apiKeyId: v.id("apiKeys"),
    modelId: v.string(),
    boundClass: v.number(),
    prompt: v.number(),
    answer: v.number(),
  }).index("by_key", ["apiKeyId", "modelId", "boundClass"]),

  /** The jobs of a key that ended in one month (UTC), by price. Written once a minute by model/credits/keyStatement.ts. */
  keyMonths: defineTable({
    organizationId: v.id("organizations"),
    apiKeyId: v.id("apiKeys"),
    startAt: v.number(),
    charges: v.array(keyCharge),
    free: keyFree,
  }).index("by_key", ["apiKeyId", "startAt"]),

  /** Credits that a key was given, or that were taken back, for its statements. Those of one day with one note are one row, and so are those older than statements; written with the ledger's transfer. */
  keyMoves: defineTable({
    apiKeyId: v.id("apiKeys"),
    at: v.number(),
    /** Negative if it has less afterward. */
    micro: v.int64(),
    source: v.optional(keyMoveSource),
    note: v.optional(v.string()),
  }).index("by_key", ["apiKeyId", "at"]),

  /** Balances by kind of account, and jobs by outcome. One row per organization; written only by the projector. */
  ledgerTotals: defineTable({
    organizationId: v.id("organizations"),
    ended: v.object({
      succeeded: v.number(),
      failed: v.number(),
      canceled: v.number(),
      expired: v.number(),
    }),
    byKind: amountsByKind,
    /** The part of the earnings that owners of devices have moved elsewhere. Absent: nothing. */
    movedMicro: v.optional(v.int64()),
  }).index("by_organization", ["organizationId"]),

  /** A device's earnings per quarter of an hour: every time zone's day starts on one. Written by the projector. */
  earnings: defineTable({
    account: v.string(),
    startAt: v.number(),
    micro: v.int64(),
    jobs: v.number(),
  }).index("by_account", ["account", "startAt"]),

  /**
   * The credits that the devices of a member or a team earned in one month (UTC), from the ledger: for the owner of the device at that time.
   * Written by the projector, for statements.
   */
  earnedMonths: defineTable({
    organizationId: v.id("organizations"),
    owner,
    startAt: v.number(),
    devices: v.array(earnedOfDevice),
  }).index("by_owner", ["owner", "startAt"]),

  /** The bonus that a device got on the last day (UTC) with bonus hours. Written by model/credits/bonus.ts. */
  bonusDays: defineTable({ deviceId: v.id("devices"), startAt: v.number(), micro: v.int64() }).index(
    "by_device",
    ["deviceId"],
  ),

  /** The rules for the credits that members earned. Written by model/credits/houseRules.ts. */
  houseRules: defineTable({
    organizationId: v.id("organizations"),
    ...houseRules.fields,
    /** When `expireMonths` was set. */
    expireSetAt: v.number(),
    /** How the organization uses checks of answers. Absent: it only watches. Written by model/trust/mode.ts. */
    checks: v.optional(checkMode),
    /** Prompts of canaries in place of the built-in ones, and the key that asks canaries. Written by model/trust/canaries/pool.ts. */
    canaries: v.optional(v.array(v.string())),
    canaryKey: v.optional(v.id("apiKeys")),
  }).index("by_organization", ["organizationId"]),

  /** Pay of an answer or a replay that waits for a check. Deleted when it is released or refused. Written by model/trust/pay.ts. */
  heldPays: defineTable({
    organizationId: v.id("organizations"),
    jobId: v.string(),
    deviceId: v.id("devices"),
    modelId: v.string(),
    apiKeyId: v.id("apiKeys"),
    /** With the bonus. */
    micro: v.int64(),
    bonusMicro: v.int64(),
    at: v.number(),
    /** To whom the device belonged then. Absent: to nobody. */
    owner: v.optional(owner),
    /** An open case about the answer. Its end alone releases or refuses the pay, if the organization still acts. */
    caseId: v.optional(v.id("trustCases")),
    /** Set if it was paid already when the case began. */
    paidBefore: v.optional(v.literal(true)),
  })
    .index("by_job", ["jobId"])
    .index("by_device", ["deviceId", "modelId", "paidBefore", "caseId"])
    .index("by_owner", ["owner", "paidBefore"])
    .index("by_organization", ["organizationId"]),

  /**
   * A change of the credits of a member that is no pay for a job: for their list and their statements. Append-only; written by
   * model/credits/, with the ledger's transfer.
   */
  creditMoves: defineTable({
    organizationId: v.id("organizations"),
    owner,
    kind: creditMoveKind,
    /** Negative if the member has less afterward. */
    micro: v.int64(),
    at: v.number(),
    /** The key, the colleague or the team; of a grant, a taking back and an allowance the administrator. */
    other: v.optional(v.union(v.id("apiKeys"), v.id("members"), v.id("teams"))),
    /** Of an allowance. */
    period: v.optional(paidPeriod),
    note: v.optional(v.string()),
  })
    .index("by_owner", ["owner", "at"])
    .index("by_time", ["organizationId", "at"]),

  /** A payout that a member asked for. Written by model/credits/payouts.ts. */
  payouts: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    micro: v.int64(),
    /** The months in which the credits were earned, for a refusal. */
    lots: v.array(lot),
    /** The terms when it was asked for. */
    currency: v.string(),
    perCreditMicro: v.int64(),
    note: v.optional(v.string()),
    askedAt: v.number(),
    state: payoutState,
    decidedAt: v.optional(v.number()),
    decidedBy: v.optional(v.id("members")),
    /** Why it was refused. */
    reason: v.optional(v.string()),
  })
    .index("by_member", ["memberId", "state"])
    .index("by_member_time", ["memberId", "askedAt"])
    .index("by_state", ["organizationId", "state", "decidedAt"])
    .index("by_time", ["organizationId", "askedAt"]),

  /** The balance of an account in all archives of the ledger: its entries in the ledger come on top. Written by model/archives/clear.ts. */
  ledgerOpenings: defineTable({
    organizationId: v.id("organizations"),
    account: v.string(),
    micro: v.int64(),
  }).index("by_account", ["account"]),
};
