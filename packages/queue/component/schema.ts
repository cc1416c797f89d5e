import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import {
  anything,
  attemptStatus,
  capabilities,
  handed,
  jobError,
  jobStatus,
  laneState,
  policy,
  requirements,
  schedule,
  settingsPatch,
  waitsFor,
  workerStatus,
} from "./validators.ts";

const schema = defineSchema({
  /** Who may run jobs. Cold: written on registration and on transitions. By model/workers/. */
  workers: defineTable({
    scope: v.string(),
    keyHash: v.string(),
    externalId: v.optional(v.string()),
    name: v.string(),
    status: workerStatus,
    groups: v.array(v.string()),
    dataClasses: v.array(v.string()),
    capabilities: v.optional(capabilities),
    version: v.optional(v.string()),
    online: v.boolean(),
    /** Where it stands in every ring, by its key's hash: from 0, below 65,536, mostly between two points. */
    position: v.number(),
    /** Counts its starts and changes of capabilities: what it was unfit for may be tried again. */
    life: v.number(),
    registeredAt: v.number(),
    lastChangeAt: v.number(),
  })
    .index("by_hash", ["keyHash"])
    .index("by_external", ["scope", "externalId"])
    .index("by_position", ["scope", "position"])
    .index("by_online", ["scope", "online"]),

  /** Hot: one row per worker, written by its calls. No query reads it, so a heartbeat wakes nobody. By model/leases/. */
  leases: defineTable({
    scope: v.string(),
    workerId: v.id("workers"),
    /** Of the worker's key, here and below: a call's reads need not wait for the worker's row. */
    keyHash: v.string(),
    leaseMs: v.number(),
    offlineAfterMs: v.number(),
    /** When it was last written that the worker was heard: at most a tenth of the lease before its last sign. */
    lastSeenAt: v.number(),
    /** When the sweep looks after it, if nothing is heard until then; none while it is offline. */
    deadline: v.optional(v.number()),
  })
    .index("by_worker", ["workerId"])
    .index("by_key", ["keyHash"])
    .index("by_deadline", ["scope", "deadline"]),

  /** When a scope's leases are looked after next; null: nobody is online. Not read by what jobs take. By model/leases/. */
  sweeps: defineTable({ scope: v.string(), nextAt: v.union(v.number(), v.null()) })
    .index("by_scope", ["scope"])
    .index("by_next", ["nextAt"]),

  /** Kinds of jobs with equal requirements. Written by the first submission, by setState, and by resize. */
  lanes: defineTable({
    scope: v.string(),
    /** Canonical JSON of kind and requirements. */
    name: v.string(),
    kind: v.string(),
    requirements,
    state: laneState,
    /** Slots that jobs are placed at: a power of two that follows how many workers accept. */
    slots: v.number(),
    /** The levels that its jobs ever had, where that is known: no other one is looked at. */
    levels: v.optional(v.array(v.number())),
    /** When a job was last submitted to it, to half a day: says whether it may go. */
    usedAt: v.optional(v.number()),
  }).index("by_name", ["scope", "name"]),

  /** What stands in a lane, counted once a minute. By model/counts/ alone. */
  laneCounts: defineTable({
    scope: v.string(),
    laneId: v.id("lanes"),
    ready: v.number(),
    waiting: v.number(),
    running: v.number(),
    oldestReadyAt: v.union(v.number(), v.null()),
    countedAt: v.number(),
  })
    .index("by_lane", ["laneId"])
    .index("by_scope", ["scope"]),

  /** Lanes (by name) and requesters that had as much queued as they may when last counted. By model/counts/ alone. */
  crowds: defineTable({
    scope: v.string(),
    of: v.union(v.literal("lane"), v.literal("requester")),
    name: v.string(),
    queued: v.number(),
    countedAt: v.number(),
    /** When it is worth asking again. */
    retryAt: v.number(),
  }).index("by_name", ["scope", "of", "name"]),

  /**
   * Over how many slots jobs of an affinity are spread that are asked for more often than one slot hands out. Written
   * once a second at most, by claims. By model/spreads/.
   */
  spreads: defineTable({
    scope: v.string(),
    /** The lane's name: a submission reads this beside the lane, not after it. */
    lane: v.string(),
    affinity: v.string(),
    /** As it was at `widenedAt`; it narrows by itself: model/spreads/width.ts. */
    width: v.number(),
    widenedAt: v.number(),
  })
    .index("by_affinity", ["scope", "lane", "affinity"])
    .index("by_widened", ["widenedAt"]),

  /** How many workers a scope with many of them has, counted once a minute. By model/counts/ alone. */
  fleets: defineTable({
    scope: v.string(),
    online: v.number(),
    accepting: v.number(),
    countedAt: v.number(),
  }).index("by_scope", ["scope"]),

  /** The ring of those that accept jobs, at work or not: says which slots are whose home. By model/rings/. */
  homes: defineTable({ laneId: v.id("lanes"), position: v.number(), workerId: v.id("workers") })
    .index("by_lane", ["laneId", "position"])
    .index("by_worker", ["workerId", "laneId"]),

  /** The ring of those that wait for a job: says who is woken by which slot. By model/rings/. */
  stands: defineTable({
    /** Null: waits for a lane that it could run jobs of. */
    laneId: v.union(v.id("lanes"), v.null()),
    /** The lane's scope and name, where there is one: a submission reads who waits beside the lane, not after it. */
    scope: v.optional(v.string()),
    lane: v.optional(v.string()),
    position: v.number(),
    workerId: v.id("workers"),
    keyHash: v.string(),
  })
    .index("by_lane", ["laneId", "position"])
    .index("by_name", ["scope", "lane", "position"])
    .index("by_worker", ["workerId", "laneId"])
    .index("by_key", ["keyHash"]),

  /** `status` by model/jobs/move.ts alone. Never holds the payload. */
  jobs: defineTable({
    scope: v.string(),
    laneId: v.id("lanes"),
    kind: v.string(),
    /** Its lane's, which goes before it does; left out where there are none. */
    requirements: v.optional(requirements),
    status: jobStatus,
    /** 0 high, 1 normal, 2 low. */
    level: v.number(),
    /** Slot × 65,536 + seat; beyond the ring while it was handed to a worker: model/placement.ts. */
    place: v.number(),
    /** Within a place the lower goes first: when it was submitted. */
    rank: v.number(),
    /** A random point in [0, 1): where a thief comes upon it; one more while it was handed to a worker. */
    dice: v.number(),
    requester: v.optional(v.string()),
    key: v.optional(v.string()),
    /** Jobs of one affinity stand together: there they are spread once they wait. Goes with the payload. */
    affinity: v.optional(v.string()),
    externalId: v.optional(v.string()),
    idempotencyKey: v.optional(v.string()),
    fingerprint: v.optional(v.string()),
    batchId: v.optional(v.id("batches")),
    submittedAt: v.number(),
    readyAt: v.optional(v.number()),
    startedAt: v.optional(v.number()),
    finishedAt: v.optional(v.number()),
    waitsFor: v.optional(waitsFor),
    /** While it waits for its `turn`: whose, of the two that may be limited. A full one, or one being admitted from. */
    turnOf: v.optional(v.union(v.literal("requester"), v.literal("key"))),
    /** When it may run, while it waits for `time`. */
    dueAt: v.optional(v.number()),
    expiresAt: v.optional(v.number()),
    deadlineAt: v.optional(v.number()),
    attempts: v.number(),
    failures: v.number(),
    round: v.number(),
    /** The fence: only this attempt may write. */
    currentAttemptId: v.optional(v.id("attempts")),
    /** The last worker that failed or lost it: not chosen again while another could run it. */
    lastFailedWorkerId: v.optional(v.id("workers")),
    /** Workers that said that they cannot run it, each in which of its lives. */
    unfit: v.optional(v.array(v.object({ workerId: v.id("workers"), life: v.number() }))),
    watched: v.boolean(),
    /** While watched: how long at least. */
    watchedUntil: v.optional(v.number()),
    policy: v.optional(policy),
    onFinal: v.optional(v.string()),
    context: v.optional(anything),
    report: v.optional(anything),
    reply: v.optional(anything),
    error: v.optional(jobError),
    /** When payload and result are deleted, and when the record is; set once final, cleared when done. */
    purgeAt: v.optional(v.number()),
    forgetAt: v.optional(v.number()),
  })
    .index("by_place", ["laneId", "status", "level", "place", "rank"])
    .index("by_dice", ["laneId", "status", "level", "dice"])
    .index("by_ready", ["laneId", "status", "readyAt"])
    .index("by_scope", ["scope", "submittedAt"])
    .index("by_status", ["scope", "status", "submittedAt"])
    .index("by_requester", ["scope", "requester", "status", "submittedAt"])
    .index("by_key", ["scope", "key", "status", "submittedAt"])
    .index("by_requester_turn", ["scope", "turnOf", "requester", "level", "rank"])
    .index("by_key_turn", ["scope", "turnOf", "key", "level", "rank"])
    .index("by_external", ["scope", "externalId"])
    .index("by_idempotency", ["scope", "idempotencyKey"])
    .index("by_batch", ["batchId", "status"])
    .index("by_due", ["dueAt"])
    .index("by_purge", ["purgeAt"])
    .index("by_forget", ["forgetAt"]),

  payloads: defineTable({ jobId: v.id("jobs"), payload: anything }).index("by_job", ["jobId"]),

  results: defineTable({ jobId: v.id("jobs"), result: anything }).index("by_job", ["jobId"]),

  /** One worker's try at a job. By model/jobs/. */
  attempts: defineTable({
    scope: v.string(),
    jobId: v.id("jobs"),
    laneId: v.id("lanes"),
    workerId: v.id("workers"),
    keyHash: v.string(),
    kind: v.string(),
    model: v.optional(v.string()),
    number: v.number(),
    status: attemptStatus,
    /** Whether the worker holds it: prefetched or running. */
    open: v.boolean(),
    /** Whether its worker waited, and was woken by it: then more wait than there is work for. */
    woken: v.optional(v.boolean()),
    /** What it was handed while it waited, where that is small: it is shown to it without reading the job. Until it begins. */
    handed: v.optional(handed),
    /** When it was handed to it; until it begins. */
    handedAt: v.optional(v.number()),
    claimedAt: v.number(),
    endedAt: v.optional(v.number()),
    report: v.optional(anything),
    reply: v.optional(anything),
    error: v.optional(jobError),
    releaseReason: v.optional(v.string()),
    /** Once released: its worker does not get the job back before. */
    pausedUntil: v.optional(v.number()),
  })
    .index("by_job", ["jobId", "number"])
    .index("by_worker", ["workerId", "claimedAt"])
    .index("by_open", ["workerId", "open"])
    .index("by_key", ["keyHash", "open"])
    .index("by_handed", ["scope", "handedAt"]),

  /** When what was handed over is looked after next, or was last. By model/dispatch/reclaim.ts. */
  recalls: defineTable({ scope: v.string(), due: v.number() }).index("by_scope", ["scope"]),

  /** Streamed text of a watched attempt. By model/streams/. */
  chunks: defineTable({
    jobId: v.id("jobs"),
    attemptId: v.id("attempts"),
    seq: v.number(),
    text: v.string(),
    /** UTF-8 bytes of the attempt's text up to this chunk's end. */
    endBytes: v.number(),
  })
    .index("by_attempt", ["attemptId", "seq"])
    .index("by_job", ["jobId"]),

  /**
   * Hot: how far the worker is that is at a job, as it last said; apart from the attempt, which others read. Goes with
   * the payload. By model/jobs/progress.ts.
   */
  progress: defineTable({ jobId: v.id("jobs"), attemptId: v.id("attempts"), view: anything }).index(
    "by_job",
    ["jobId"],
  ),

  /** By model/batches/. */
  batches: defineTable({
    scope: v.string(),
    externalId: v.optional(v.string()),
    status: v.union(v.literal("open"), v.literal("sealed"), v.literal("done")),
    total: v.number(),
    succeeded: v.number(),
    failed: v.number(),
    canceled: v.number(),
    expired: v.number(),
    createdAt: v.number(),
    doneAt: v.optional(v.number()),
    onDone: v.optional(v.string()),
    context: v.optional(anything),
  })
    .index("by_external", ["scope", "externalId"])
    .index("by_scope", ["scope", "createdAt"])
    .index("by_done", ["doneAt"]),

  /** Ends of a batch's jobs that are not counted in it yet: so that two ends never collide. By model/batches/. */
  batchEnds: defineTable({
    batchId: v.id("batches"),
    outcome: v.union(
      v.literal("succeeded"),
      v.literal("failed"),
      v.literal("canceled"),
      v.literal("expired"),
    ),
  }).index("by_batch", ["batchId"]),

  /** Whether counting a batch's ends is scheduled: apart from the batch, whose row each count writes. By model/batches/. */
  batchFolds: defineTable({ batchId: v.id("batches"), armed: v.boolean() }).index("by_batch", ["batchId"]),

  /** `jobId` waits for `on`. Deleted once that is final. By model/dependencies/. */
  dependencies: defineTable({
    jobId: v.id("jobs"),
    on: v.id("jobs"),
    when: v.union(v.literal("succeeded"), v.literal("finished")),
  })
    .index("by_job", ["jobId"])
    .index("by_on", ["on"]),

  /** How many jobs of a requester or a key may be ready or held at once, and a requester's weight. By model/limits/. */
  limits: defineTable({
    scope: v.string(),
    of: v.union(v.literal("requester"), v.literal("key")),
    name: v.string(),
    concurrency: v.optional(v.number()),
    weight: v.optional(v.number()),
  }).index("by_name", ["scope", "of", "name"]),

  /** Jobs that are submitted again and again; the clock is @convex-dev/crons'. By model/recurring/. */
  recurring: defineTable({
    scope: v.string(),
    name: v.string(),
    schedule,
    paused: v.boolean(),
    /** A `jobSpec` without idempotency key; checked when it was set. */
    job: anything,
    runs: v.number(),
    lastJobId: v.optional(v.id("jobs")),
    /** When it is due next, and the name of that firing; undefined while paused. */
    nextRunAt: v.optional(v.number()),
    createdAt: v.number(),
  }).index("by_name", ["scope", "name"]),

  /** What was set for a scope; "" for all of them. By model/settings.ts. */
  settings: defineTable({ scope: v.string(), values: settingsPatch }).index("by_scope", ["scope"]),

  /** Who did what to the queue. Append-only. By model/events.ts. */
  events: defineTable({
    scope: v.string(),
    at: v.number(),
    actor: v.string(),
    action: v.string(),
    subject: v.string(),
  }).index("by_scope", ["scope", "at"]),
});

// The framework's bundler looks for the default export.
export default schema;
