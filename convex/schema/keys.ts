import { priority } from "@gleaner/queue/validators";
import { defineTable } from "convex/server";
import { v } from "convex/values";
import { allowance } from "../model/validators/credits.ts";
import {
  deviceNeeds,
  formerSecret,
  keyCount,
  keyQuotas,
  keyScope,
  runnerStop,
} from "../model/validators/keys.ts";
import { owner } from "../model/validators/people.ts";

/** API keys, and the use of them. */
export const keyTables = {
  /** Written by setup and the admin's key calls. `prefix` is the part that may be shown. */
  apiKeys: defineTable({
    organizationId: v.id("organizations"),
    keyHash: v.string(),
    name: v.string(),
    prefix: v.string(),
    createdAt: v.number(),
    revokedAt: v.optional(v.number()),
    /** The member or team to whom it belongs. Absent: the organization. */
    owner: v.optional(owner),
    /** The data class of all its jobs: only devices with this class get them. */
    dataClass: v.optional(v.string()),
    /** The highest data class that its requests may name. Absent: none but `dataClass`. Written by console/keys.setRights. */
    highestDataClass: v.optional(v.string()),
    /** The other requirements of all its jobs. Absent: none. Written by console/keys.setRights. */
    requirements: v.optional(deviceNeeds),
    /** Whether its requests may add requirements. Absent: no. Written by console/keys.setRights. */
    mayRequire: v.optional(v.boolean()),
    /** The highest priority that it may ask for. Absent: any. Written by console/keys.setRights. */
    highestPriority: v.optional(priority),
    /** The kinds of calls that it may make. Absent: all. This and the next four are written by console/keys.setAccess. */
    scopes: v.optional(v.array(keyScope)),
    /** The models that it may ask. Absent: all. */
    models: v.optional(v.array(v.string())),
    /** The addresses and networks from which it may be used. Absent: any. */
    addresses: v.optional(v.array(v.string())),
    quotas: v.optional(keyQuotas),
    /** It is refused from then on; ms epoch. */
    expiresAt: v.optional(v.number()),
    /** Set once the jobs of an expired key were canceled. Written by model/keys/keyEnds.ts. */
    expired: v.optional(v.literal(true)),
    /** The secret before a rotation, while it still works. Written by model/keys/rotation.ts. */
    former: v.optional(formerSecret),
    /** Credits that it gets at the start of each period. Absent: none. Written by model/credits/allowances.ts. */
    allowance: v.optional(allowance),
    /** The time at which a member last changed the secrets, so that a restore does not bring a replaced one back. */
    secretChangedAt: v.optional(v.number()),
    /** When its requests stopped the runners of devices, oldest first. Written by model/requests/restriction.ts, seldom. */
    runnerStops: v.optional(v.array(runnerStop)),
    /** The ends of its jobs whose answers did not meet their schema, oldest first: app/keys/restriction.ts. Written as `runnerStops`. */
    unmetSchemas: v.optional(v.array(v.number())),
    /** The last day on which the organization covered a part of its price. Written by model/ledger/reservations.ts. */
    coveredAt: v.optional(v.number()),
    /** Only in a key of the playground: its session, its end, and its credits. Written by model/keys/playgroundKeys.ts. */
    playgroundSession: v.optional(v.id("sessions")),
    playgroundUntil: v.optional(v.number()),
    playgroundMicro: v.optional(v.int64()),
    /** Set at its end. Such keys are not listed, since there is a new one for each session. */
    playgroundEnded: v.optional(v.boolean()),
  })
    .index("by_hash", ["keyHash"])
    .index("by_owner", ["owner", "revokedAt"])
    .index("by_organization_listed", ["organizationId", "playgroundEnded"])
    .index("by_owner_listed", ["owner", "playgroundEnded"])
    .index("by_owner_playground", ["owner", "playgroundUntil"])
    .index("by_playground_session", ["playgroundSession"])
    .index("by_former_hash", ["former.keyHash"])
    .index("by_former_end", ["former.until"])
    .index("by_allowance_due", ["allowance.dueAt"])
    .index("by_expiry", ["organizationId", "expired", "expiresAt"]),

  /** The last use of a key, to the minute. Every call reads it, so it changes seldom. Written by model/keys/keyUse.ts. */
  keyUses: defineTable({ apiKeyId: v.id("apiKeys"), at: v.number() }).index("by_key", ["apiKeyId"]),

  /**
   * The use of a key on one day (UTC): requests, and what they used or have reserved. Written by the ledger's projector, and kept
   * for two months.
   */
  keyDays: defineTable({ apiKeyId: v.id("apiKeys"), startAt: v.number(), ...keyCount.fields }).index(
    "by_key",
    ["apiKeyId", "startAt"],
  ),
};
