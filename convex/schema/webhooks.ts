import { defineTable } from "convex/server";
import { v } from "convex/values";
import { alertNews } from "../model/validators/alerts.ts";
import { deliveryAttempt, deliveryState, disabledBy, webhookEvent } from "../model/validators/webhooks.ts";

/** Webhooks, and mails about alerts. */
export const webhookTables = {
  /**
   * The addresses that are told of events. Each end of a job reads those of its organization, so all that changes with
   * deliveries is in `webhookStates`. Written by model/webhooks/endpoints.ts and disable.ts.
   */
  webhooks: defineTable({
    organizationId: v.id("organizations"),
    /** Absent in webhooks of earlier versions: its host. */
    name: v.optional(v.string()),
    url: v.string(),
    /** Sealed (model/signIn/sealed.ts). */
    secret: v.string(),
    /** The secret before the last one. Messages are signed with it, too, until then. Sealed. */
    previous: v.optional(v.object({ secret: v.string(), until: v.number() })),
    /** Absent in webhooks of earlier versions: alerts. */
    events: v.optional(v.array(webhookEvent)),
    /** Only events of this key. Absent: of all. */
    apiKeyId: v.optional(v.id("apiKeys")),
    /** `why`: who or what disabled it. "gone": the receiver said so. */
    disabled: v.optional(v.object({ at: v.number(), why: disabledBy })),
    createdAt: v.number(),
    /** The last change of the fields above. Absent: none. */
    changedAt: v.optional(v.number()),
    /** Only in webhooks of earlier versions. */
    last: v.optional(v.object({ at: v.number(), error: v.union(v.string(), v.null()) })),
  }).index("by_organization", ["organizationId"]),

  /** A removed webhook. Kept, so that a restore does not bring it back. */
  removedWebhooks: defineTable({ webhookId: v.id("webhooks"), removedAt: v.number() }).index("by_webhook", [
    "webhookId",
  ]),

  /**
   * The time at which the deliveries of a webhook go on. Each event reads it, so it changes seldom. Written by model/webhooks/pump.ts and
   * deliveries.ts.
   */
  webhookPumps: defineTable({
    webhookId: v.id("webhooks"),
    /** The time of the next run, or of the one that goes on. Absent: there is nothing to do. */
    wakeAt: v.optional(v.number()),
    /** The receiver is too slow or fails. Then frequent events are only counted. */
    full: v.boolean(),
  })
    .index("by_webhook", ["webhookId"])
    .index("by_wake", ["wakeAt"]),

  /** How the deliveries of a webhook go. Written by model/webhooks/pump.ts, disable.ts and replay.ts. */
  webhookStates: defineTable({
    webhookId: v.id("webhooks"),
    /** The last try. `error`: why it failed. */
    last: v.optional(v.object({ at: v.number(), error: v.union(v.string(), v.null()) })),
    /** The first try that failed since the last delivery. */
    failingSince: v.optional(v.number()),
    /** Deliveries that wait for their second try or a later one. */
    retrying: v.number(),
    /** Events that were not sent because the webhook was disabled or full, and when the last one was counted. */
    skipped: v.number(),
    skippedAt: v.optional(v.number()),
  }).index("by_webhook", ["webhookId"]),

  /** An event that is not sent, until it is counted. Ends of jobs only insert here, so that they do not conflict. */
  webhookSkips: defineTable({ webhookId: v.id("webhooks") }).index("by_webhook", ["webhookId"]),

  /** A message to a webhook. Kept for 30 days. Written by model/webhooks/. */
  webhookDeliveries: defineTable({
    webhookId: v.id("webhooks"),
    type: v.string(),
    /** The event's `data` as JSON: ids and states, and the words of alerts. Never a prompt or an answer. */
    data: v.string(),
    /**
     * The address of the webhook when it was sent or sent again, and the key of its job or batch; null: it is of the organization.
     * Absent in deliveries of earlier versions.
     */
    target: v.optional(v.object({ url: v.string(), apiKeyId: v.union(v.id("apiKeys"), v.null()) })),
    createdAt: v.number(),
    state: deliveryState,
    /** The time of the next try. Absent after the last one. */
    dueAt: v.optional(v.number()),
    /** Tries that failed since it was sent or sent again. */
    tries: v.number(),
    /** The latest tries, oldest first. */
    attempts: v.array(deliveryAttempt),
  })
    .index("by_time", ["webhookId", "createdAt"])
    .index("by_state", ["webhookId", "state", "createdAt"])
    .index("by_due", ["webhookId", "dueAt"])
    .index("by_age", ["createdAt"]),

  /** The members who get alerts by mail. Written by model/alerts/mails.ts. */
  alertMails: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    /** Ends these mails. Each of them has it in a link. Sealed (model/signIn/sealed.ts). */
    token: v.string(),
    tokenHash: v.string(),
    createdAt: v.number(),
    /** News for the next mail, oldest first, and how many more there were. */
    waiting: v.array(alertNews),
    more: v.number(),
    /** When the next try is due. Absent while no news wait. */
    dueAt: v.optional(v.number()),
    /** Tries of the next mail that failed. */
    tries: v.number(),
    sentAt: v.optional(v.number()),
    /** The last try. `error`: why it failed. */
    last: v.optional(v.object({ at: v.number(), error: v.union(v.string(), v.null()) })),
  })
    .index("by_organization", ["organizationId"])
    .index("by_token", ["tokenHash"]),
};
