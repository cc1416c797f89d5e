import { priority } from "@gleaner/queue/validators";
import { defineTable } from "convex/server";
import { v } from "convex/values";
import { askedVectors, callEnd, ranking, vote } from "../model/calls/validators.ts";
import {
  disputeDecision,
  disputeState,
  foundWrong,
  jobEnergy,
  rating,
  ratingReason,
  usage,
} from "../model/validators/answers.ts";
import { batchLine } from "../model/validators/batches.ts";
import { owner } from "../model/validators/people.ts";
import { beforePriority, price } from "../model/validators/prices.ts";
import { callForm } from "../model/validators/requests.ts";

/** Calls of the HTTP API, and the app's part of their jobs. */
export const requestTables = {
  /**
   * A call of the HTTP API that has waited for its job for some seconds. Written by the call: each has a row of its own, so
   * the calls of a key do not contend. A call that cannot delete its row leaves it to `maintenance`.
   */
  waits: defineTable({
    apiKeyId: v.id("apiKeys"),
    /** Absent in rows of earlier versions, which end within minutes. */
    organizationId: v.optional(v.id("organizations")),
    until: v.number(),
    /** A hash of the request that the call waits for, and its job. Absent if its requester can find the job otherwise. */
    request: v.optional(v.string()),
    jobId: v.optional(v.string()),
    /** The idempotency key of the submission that took up a job of another call. Absent: it got a job of its own. */
    submission: v.optional(v.string()),
  })
    .index("by_key", ["apiKeyId", "until"])
    .index("by_request", ["apiKeyId", "request"])
    .index("by_organization", ["organizationId", "until"])
    .index("by_end", ["until"]),

  /** A call that ended before its answer, and its job, for some seconds. Written by model/requests/leftCalls.ts. */
  leftCalls: defineTable({
    apiKeyId: v.id("apiKeys"),
    /** A hash of the request. An equal one gets the job. */
    request: v.string(),
    jobId: v.string(),
  }).index("by_request", ["apiKeyId", "request"]),

  /**
   * A call of several jobs that nobody has to wait for. Its requester finds its answer by its id. It has no text: requests and answers
   * are those of its jobs. Written by model/calls/.
   */
  calls: defineTable({
    organizationId: v.id("organizations"),
    apiKeyId: v.id("apiKeys"),
    /** In the order of the answer. Second opinions are in the order in which they were asked for. */
    jobIds: v.array(v.string()),
    /** Only of a ranking. */
    ranking: v.optional(ranking),
    /** Only of a call for vectors. */
    vectors: v.optional(askedVectors),
    /** Only of a call with second opinions. */
    vote: v.optional(vote),
    /** Absent: it has not ended, or its last job has answered. */
    end: v.optional(callEnd),
    /** The time of its next scheduled step: model/calls/steps.ts. Absent: it needs none now. */
    stepAt: v.optional(v.number()),
  }).index("by_step", ["stepAt"]),

  /** How the votes on requests to a model ended: app/votes/confidence.ts. Written by model/requests/votes.ts. */
  voteTallies: defineTable({
    organizationId: v.id("organizations"),
    modelId: v.string(),
    /** How many votes had groups of which sizes, such as "2-1". */
    tally: v.record(v.string(), v.number()),
  }).index("by_model", ["organizationId", "modelId"]),

  /** Changes of jobs that wait for some seconds, so that they can be undone. Written by model/orders/heldChanges.ts. */
  heldCancels: defineTable({
    organizationId: v.id("organizations"),
    /** Absent: a cancel. */
    act: v.optional(v.union(v.literal("cancel"), v.literal("retry"), v.literal("discard"))),
    /** A job that was retried meanwhile has another round, and stays. */
    jobs: v.array(v.object({ jobId: v.string(), round: v.number() })),
    /** A retry of all dead letters, instead of `jobs`. `onlyMendable`: not those whose request itself causes the error. */
    allDead: v.optional(v.object({ onlyMendable: v.boolean() })),
    /** The one who asked for it. */
    actor: v.object({ memberId: v.id("members"), sessionId: v.id("sessions") }),
    /** From where they asked. Absent in those of earlier versions, which end within seconds. */
    address: v.optional(v.string()),
    /** When they happen (ms epoch). */
    at: v.number(),
    /** Some of the jobs are changed, and the others follow. */
    hasBegun: v.boolean(),
  }),

  /**
   * The app's part of a job: its key, its price and its reservation. Written by requests.submit, closed by jobs.onFinal,
   * reopened by a retry of a dead letter. Never holds the prompt.
   */
  orders: defineTable({
    /** The queue's id. */
    jobId: v.string(),
    organizationId: v.id("organizations"),
    apiKeyId: v.id("apiKeys"),
    modelId: v.string(),
    /** The alias by which the request named the model. Absent: none. */
    alias: v.optional(v.string()),
    /** The form in which its call answers. Absent: the usual one of the job's kind, also in old orders. */
    callForm: v.optional(callForm),
    /** The class of its data. Absent: none. */
    dataClass: v.optional(v.string()),
    price,
    /** The highest priority that the job has had. Absent in old orders, which no priority makes dearer. */
    priority: v.optional(priority),
    /** The job's cost in percent of `price`, by its priority, kind, data class and hour. Absent: 100. */
    pricePercent: v.optional(v.number()),
    /** The versions of its model's price and of the percents, such as "3.1". Absent in old orders. */
    priceVersion: v.optional(v.string()),
    /** How often its reservation was raised or lowered in all. */
    reservationChanges: v.optional(v.number()),
    /** Before the last change of its priority. An undo puts it back. Written by model/orders/priorities.ts. */
    beforePriority: v.optional(beforePriority),
    /** The last cancel that waited, or still waits, for the job. */
    heldCancel: v.optional(v.id("heldCancels")),
    /** Bounds of the true token counts: the model's context, and the requested maximum. */
    most: usage,
    /** The most tokens that the prompt can have, by its bytes. Absent in old orders. */
    promptTokens: v.optional(v.number()),
    /** The prompt tokens that are reserved: a device is paid for no more. Absent in old orders. */
    reservedPromptTokens: v.optional(v.number()),
    /** Vectors in the answer to an embedding job. */
    vectors: v.optional(v.number()),
    /** How often a device may have to write the answer. Absent: once. */
    tries: v.optional(v.number()),
    /** Whether the request has a grammar, a schema or tools. */
    constrained: v.optional(v.boolean()),
    /** Whether the job ends with the call that asked for it, since nobody could find its answer. Absent after its end. */
    endsWithCall: v.optional(v.boolean()),
    /** A hash of the request, if a retry of its call finds the job by it. Absent after its end. */
    request: v.optional(v.string()),
    /** The first job of the call, if a retry finds this one by it. Absent in the first one, and after the end. */
    firstJob: v.optional(v.string()),
    /** Its call, if that is answered later and is several jobs. */
    call: v.optional(v.id("calls")),
    reservedMicro: v.int64(),
    /** The tokens that are reserved, if they are less than the most that are paid: app/money/likely.ts. */
    held: v.optional(usage),
    /** The part of its price that the organization covered, since its key did not have it. */
    coveredMicro: v.optional(v.int64()),
    /** The part of its price that paid a device which another one outran. */
    outrunMicro: v.optional(v.int64()),
    /** To whom the device belonged that was paid, or whose pay is held; null: to nobody. Only in organizations that act on checks. */
    paidOwner: v.optional(v.union(owner, v.null())),
    /** How long its texts are kept after its end, if the rules for its class of data said so. */
    keptHours: v.optional(v.number()),
    /** The part that its key got back, since checks found the answer wrong: model/trust/giveBack.ts. */
    givenBackMicro: v.optional(v.int64()),
    /** That checks found the answer wrong, and how the request is answered again: model/trust/corrections.ts. */
    foundWrong: v.optional(foundWrong),
    /** The job whose wrong answer this one replaces. */
    corrects: v.optional(v.string()),
    /** The canary that it is a job of: model/trust/canaries/. */
    canary: v.optional(v.id("canaries")),
    /** The job's round, from 0. Each retry of a dead letter starts another; a round reserves once and is closed once. */
    round: v.number(),
    /** Absent until it is paid. */
    priceMicro: v.optional(v.int64()),
    /** The amount that bonus hours added to the pay of its device, and their percent. The key does not pay it. */
    bonusMicro: v.optional(v.int64()),
    bonusPercent: v.optional(v.number()),
    /** Whether a device of the key's owner did it, so that it cost nothing. */
    ownJob: v.optional(v.boolean()),
    usage: v.optional(usage),
    /** The energy that the device used for it. Absent before its end, and if the device did not tell it. */
    energy: v.optional(jobEnergy),
    /** The kind of computer that did it. Absent before its end, and in old orders. */
    deviceClass: v.optional(v.string()),
    /** Why the app itself canceled the job. */
    error: v.optional(v.object({ code: v.string(), message: v.string() })),
    /** Only in a job of a batch. */
    batchLine: v.optional(batchLine),
  })
    .index("by_job", ["jobId"])
    .index("by_organization", ["organizationId"])
    .index("by_key", ["apiKeyId"])
    .index("by_call", ["endsWithCall"])
    .index("by_request", ["request", "apiKeyId"]),

  /**
   * The receipt of an answered job: app/receipts/receipt.ts. Append-only, and no row of another job is read or changed. Written by
   * model/receipts/write.ts.
   */
  receipts: defineTable({
    organizationId: v.id("organizations"),
    jobId: v.string(),
    /** As canonical JSON, which the seal covers: the device's claim and signature, and what the organization adds. */
    entry: v.string(),
  })
    .index("by_organization", ["organizationId"])
    .index("by_job", ["jobId"]),

  /** The hash chain over the receipts. Append-only; written by model/receipts/seal.ts. */
  receiptSeals: defineTable({
    organizationId: v.id("organizations"),
    number: v.number(),
    count: v.number(),
    root: v.string(),
    previous: v.string(),
    hash: v.string(),
    /** Absent if the deployment has no signing key. */
    signedBy: v.optional(v.object({ key: v.string(), signature: v.string() })),
    /** The creation times of its first and last receipt. */
    from: v.number(),
    to: v.number(),
    at: v.number(),
  })
    .index("by_number", ["organizationId", "number"])
    .index("by_end", ["organizationId", "to"]),

  /**
   * A requester's say about an answer: app/jobs/rating.ts. A job has one at most. Deleted 90 days after it was first given, when the job is
   * gone, too. Written by model/ratings/.
   */
  ratings: defineTable({
    organizationId: v.id("organizations"),
    jobId: v.string(),
    /** The owner of the job's key, or the key if it is nobody's: app/trust/ratings.ts. */
    rater: v.string(),
    /** The member or the API key that gave it. */
    by: v.string(),
    /** The device whose answer it is. */
    deviceId: v.id("devices"),
    modelId: v.string(),
    /** Whether the device is the requester's own. Such a rating says nothing to others. */
    ownJob: v.optional(v.literal(true)),
    rating,
    reason: v.optional(ratingReason),
    comment: v.optional(v.string()),
    /** The time of its last change. */
    ratedAt: v.number(),
    /** Absent: the answer is not disputed. */
    dispute: v.optional(disputeState),
    disputedAt: v.optional(v.number()),
    decision: v.optional(disputeDecision),
  })
    .index("by_job", ["jobId"])
    .index("by_device", ["deviceId", "modelId", "ratedAt"])
    .index("by_dispute", ["organizationId", "dispute", "disputedAt"]),
};
