import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import {
  allowedCapabilities,
  anything,
  attemptStatus,
  capabilities,
  finalStatus,
  handed,
  jobError,
  jobStatus,
  laneState,
  limitedBy,
  policy,
  rate,
  requesterTally,
  requirements,
  schedule,
  settingsPatch,
  size,
  waitsFor,
  workerStatus,
} from "../../shared/validators.ts";

export const schema = defineSchema({
  /** Workers. Cold: written on registration and on transitions. Written by model/workers/. */
  workers: defineTable({
    scope: v.string(),
    keyHash: v.string(),
    externalId: v.optional(v.string()),
    name: v.string(),
    status: workerStatus,
    groups: v.array(v.string()),
    /** Absent in workers without labels, and in those stored before labels existed. */
    labels: v.optional(v.array(v.string())),
    dataClasses: v.array(v.string()),
    /** The first characters of the key, to tell it from others. Absent if the app brought the key. */
    keyPrefix: v.optional(v.string()),
    /** What the worker reported, cut to its limits. */
    capabilities: v.optional(capabilities),
    /** What the worker reported, if it has limits. Without limits `capabilities` is the report. */
    reported: v.optional(capabilities),
    /** The limits that the app set. Absent in workers without limits, and in those stored before limits existed. */
    allowedCapabilities: v.optional(allowedCapabilities),
    maxConcurrentJobs: v.optional(v.number()),
    version: v.optional(v.string()),
    online: v.boolean(),
    /** When its program last started; absent in workers that started under an earlier version. */
    startedAt: v.optional(v.number()),
    /** The position in every ring, from the hash of the key: in [0, 65,536), usually between two points. */
    position: v.number(),
    /**
     * Counts starts and changes of capabilities. Jobs that the worker was unfit for may be tried again in a new life.
     */
    life: v.number(),
    registeredAt: v.number(),
    lastChangeAt: v.number(),
  })
    .index("by_hash", ["keyHash"])
    .index("by_external", ["scope", "externalId"])
    .index("by_position", ["scope", "position"])
    .index("by_online", ["scope", "online"])
    .index("by_change", ["scope", "lastChangeAt"]),

  /**
   * Hot: one row per worker, written by its calls. No query reads it, so a heartbeat reruns no query. Written by
   * model/leases/.
   */
  leases: defineTable({
    scope: v.string(),
    workerId: v.id("workers"),
    /** The hash of the worker's key, here and in other tables, so a call's reads need not wait for the worker's row. */
    keyHash: v.string(),
    leaseMs: v.number(),
    offlineAfterMs: v.number(),
    /** The last recorded sign of the worker: at most a tenth of the lease older than the real one. */
    lastSeenAt: v.number(),
    /** When the sweep handles the worker if it does not call; undefined while it is offline. */
    deadline: v.optional(v.number()),
  })
    .index("by_worker", ["workerId"])
    .index("by_key", ["keyHash"])
    .index("by_deadline", ["scope", "deadline"]),

  /**
   * The time of a scope's next sweep; null if no worker is online. Calls for work do not read it. Written by
   * model/leases/.
   */
  sweeps: defineTable({ scope: v.string(), nextAt: v.union(v.number(), v.null()) })
    .index("by_scope", ["scope"])
    .index("by_next", ["nextAt"]),

  /** A kind of job with one set of requirements. Written by the first submission, setState and resize. */
  lanes: defineTable({
    scope: v.string(),
    /** Canonical JSON of kind and requirements. */
    name: v.string(),
    kind: v.string(),
    requirements,
    state: laneState,
    /** Who set the state last, and when (ms epoch). Absent: nobody has, or an earlier version did. */
    stateBy: v.optional(v.string()),
    stateAt: v.optional(v.number()),
    /** The number of slots that jobs are placed at: a power of two that follows the number of accepting workers. */
    slots: v.number(),
    /** The priorities (`level`) that its jobs have had. Other priorities are not searched. */
    levels: v.optional(v.array(v.number())),
    /** When a job was last submitted, with an error of up to half a day. An unused lane is deleted. */
    usedAt: v.optional(v.number()),
    /** Half of the speed of its accepting workers together comes from workers that are at least this fast. */
    rate: v.optional(rate),
  }).index("by_name", ["scope", "name"]),

  /** The jobs of a lane, counted once a minute. Written by model/counts/ only. */
  laneCounts: defineTable({
    scope: v.string(),
    laneId: v.id("lanes"),
    ready: v.number(),
    waiting: v.number(),
    running: v.number(),
    oldestReadyAt: v.union(v.number(), v.null()),
    /** How long a new job would wait, in ms, by priority. Absent if unknown, and in counts of earlier versions. */
    waits: v.optional(v.array(v.number())),
    countedAt: v.number(),
  })
    .index("by_lane", ["laneId"])
    .index("by_scope", ["scope"]),

  /** The requesters of a scope with most jobs, counted once a minute. Written by model/counts/ only. */
  requesterCounts: defineTable({ scope: v.string(), requesters: v.array(requesterTally) }).index("by_scope", [
    "scope",
  ]),

  /**
   * Backlogs: lanes (by name) and requesters that were full in the last count, and lanes in which some new jobs would wait too
   * long. Written by model/counts/ only.
   */
  crowds: defineTable({
    scope: v.string(),
    of: v.union(v.literal("lane"), v.literal("requester")),
    name: v.string(),
    queued: v.number(),
    countedAt: v.number(),
    /** When it is worth submitting again, if it is full; ms epoch. */
    retryAt: v.number(),
    /** False: it is not full. Absent in rows of earlier versions, which were all full. */
    full: v.optional(v.boolean()),
    /** How long a new job would wait, in ms, by priority. Absent if no job would wait too long. */
    waits: v.optional(v.array(v.number())),
  }).index("by_name", ["scope", "of", "name"]),

  /**
   * How many slots a frequent affinity is spread over, if one slot is not enough. Written at most once a second, by
   * claims. Written by model/spreads/.
   */
  spreads: defineTable({
    scope: v.string(),
    /** The lane's name: a submission reads this in parallel with the lane. */
    lane: v.string(),
    affinity: v.string(),
    /** The width at `widenedAt`. It shrinks with time: model/spreads/width.ts. */
    width: v.number(),
    widenedAt: v.number(),
  })
    .index("by_affinity", ["scope", "lane", "affinity"])
    .index("by_widened", ["widenedAt"]),

  /** The number of workers of a large fleet, counted once a minute. Written by model/counts/ only. */
  fleets: defineTable({
    scope: v.string(),
    online: v.number(),
    accepting: v.number(),
    countedAt: v.number(),
  }).index("by_scope", ["scope"]),

  /** The ring of workers that accept jobs, busy or not. It says whose home a slot is in. Written by model/rings/. */
  homes: defineTable({
    laneId: v.id("lanes"),
    position: v.number(),
    workerId: v.id("workers"),
    /** The worker's speed in the lane, if it is known. */
    rate: v.optional(rate),
  })
    .index("by_lane", ["laneId", "position"])
    .index("by_worker", ["workerId", "laneId"]),

  /**
   * The waiters: the ring of workers that wait for a job. It says which worker a slot wakes. Written by model/rings/.
   */
  stands: defineTable({
    /** Null: the worker waits for a lane that it can run jobs of. */
    laneId: v.union(v.id("lanes"), v.null()),
    /** The lane's scope and name, so a submission can read the waiters in parallel with the lane. */
    scope: v.optional(v.string()),
    lane: v.optional(v.string()),
    position: v.number(),
    workerId: v.id("workers"),
    keyHash: v.string(),
    /** The worker's speed in the lane, if it is known. */
    rate: v.optional(rate),
    /** The time in ms that the worker needs before its next job of the lane. Absent: none. */
    setupMs: v.optional(v.number()),
  })
    .index("by_lane", ["laneId", "position"])
    .index("by_name", ["scope", "lane", "position"])
    .index("by_worker", ["workerId", "laneId"])
    .index("by_key", ["keyHash"]),

  /**
   * Jobs, without their payloads. `status` is written by model/jobs/move.ts only. In code `level` is the priority,
   * `place` the ring position, and `dice` the sample key.
   */
  jobs: defineTable({
    scope: v.string(),
    laneId: v.id("lanes"),
    kind: v.string(),
    /** The lane's requirements, kept because the lane may be deleted first; omitted if there are none. */
    requirements: v.optional(requirements),
    status: jobStatus,
    /** The priority: 0 high, 1 normal, 2 low. */
    level: v.number(),
    /**
     * The ring position: slot × 65,536 + seat. Beyond the ring while the job is handed to a worker: model/placement.ts.
     */
    place: v.number(),
    /** Orders the jobs at one ring position by submission. */
    rank: v.number(),
    /** The sample key: random in [0, 1), and one more while the job is handed to a worker. Thieves search by it. */
    dice: v.number(),
    requester: v.optional(v.string()),
    key: v.optional(v.string()),
    /** Jobs with one affinity are placed together, and spread out if they have to wait. Deleted with the payload. */
    affinity: v.optional(v.string()),
    /** No worker has two jobs with the same name here. Omitted in most jobs. */
    apart: v.optional(v.string()),
    /** Workers that never get the job. Omitted in most jobs. */
    exceptWorkers: v.optional(v.array(v.id("workers"))),
    externalId: v.optional(v.string()),
    idempotencyKey: v.optional(v.string()),
    fingerprint: v.optional(v.string()),
    batchId: v.optional(v.id("batches")),
    submittedAt: v.number(),
    readyAt: v.optional(v.number()),
    startedAt: v.optional(v.number()),
    finishedAt: v.optional(v.number()),
    waitsFor: v.optional(waitsFor),
    /** The limit that the job waits for: its requester's or its key's. Set while `waitsFor` is "turn". */
    turnOf: v.optional(limitedBy),
    /** When the job may run, while it waits for `time`. */
    dueAt: v.optional(v.number()),
    expiresAt: v.optional(v.number()),
    deadlineAt: v.optional(v.number()),
    /**
     * The next time limit that a run of each minute checks; absent if it has a timer of its own, or none is left. Absent in
     * jobs of earlier versions, which have timers.
     */
    runsOutAt: v.optional(v.number()),
    /** How long one attempt may run. */
    attemptMs: v.optional(v.number()),
    /** How much work it is, in the units of the workers' speeds. */
    size: v.optional(size),
    attempts: v.number(),
    failures: v.number(),
    /** Those of the failures that the job caused, as its workers say. */
    failuresByJob: v.optional(v.number()),
    round: v.number(),
    /** The fence: only this attempt may write, and the second one if there is one. Readers see the text of this one. */
    currentAttemptId: v.optional(v.id("attempts")),
    /** The attempt of a second worker, which was given the job because the first one takes too long. Optional: rare. */
    secondAttemptId: v.optional(v.id("attempts")),
    /** How many second attempts the job had in this round. Omitted if none. */
    secondAttempts: v.optional(v.number()),
    /**
     * The last worker that failed or lost the job, or returned it often. It does not get the job again while another worker
     * could run it.
     */
    lastFailedWorkerId: v.optional(v.id("workers")),
    /** The workers that failed or lost the job lately, or returned it often, each once. Others are preferred to them. */
    failedBy: v.optional(v.array(v.id("workers"))),
    /** The workers that returned the job lately, and how often. model/jobs/returns.ts. */
    returnedBy: v.optional(v.array(v.object({ workerId: v.id("workers"), times: v.number() }))),
    /** Errors that are not retryable, and the worker that reported each. They wait for others to agree. */
    verdicts: v.optional(v.array(v.object({ workerId: v.id("workers"), code: v.string() }))),
    /** Workers that reported that they cannot run the job, and in which of their lives. */
    unfit: v.optional(v.array(v.object({ workerId: v.id("workers"), life: v.number() }))),
    /** Whether another job has waited for this one. Absent in jobs of earlier versions, which may have such jobs. */
    hasDependents: v.optional(v.boolean()),
    watched: v.boolean(),
    /** The job is watched at least until then. */
    watchedUntil: v.optional(v.number()),
    policy: v.optional(policy),
    onFinal: v.optional(v.string()),
    onClaim: v.optional(v.string()),
    context: v.optional(anything),
    report: v.optional(anything),
    reply: v.optional(anything),
    error: v.optional(jobError),
    /** When payload and result are deleted, and when the record is. Set at the end, cleared after the deletion. */
    purgeAt: v.optional(v.number()),
    forgetAt: v.optional(v.number()),
  })
    .index("by_place", ["laneId", "status", "level", "place", "rank"])
    .index("by_dice", ["laneId", "status", "level", "dice"])
    .index("by_ready", ["laneId", "status", "readyAt"])
    .index("by_status", ["scope", "status", "submittedAt"])
    .index("by_requester", ["scope", "requester", "status", "submittedAt"])
    .index("by_key", ["scope", "key", "status", "submittedAt"])
    .index("by_requester_turn", ["scope", "turnOf", "requester", "level", "rank"])
    .index("by_key_turn", ["scope", "turnOf", "key", "level", "rank"])
    .index("by_external", ["scope", "externalId"])
    .index("by_idempotency", ["scope", "idempotencyKey"])
    .index("by_batch", ["batchId", "status"])
    .index("by_apart", ["scope", "apart", "kind"])
    .index("by_due", ["dueAt"])
    .index("by_run_out", ["runsOutAt"])
    .index("by_purge", ["purgeAt"])
    .index("by_forget", ["forgetAt"]),

  /**
   * Payloads, and the waiting workers that the jobs were handed to. An end of a handed job changes nothing here, so it reruns
   * no query of its worker. A row that is handed again, or taken back, changes. Written by model/jobs/payloads.ts.
   */
  payloads: defineTable({
    jobId: v.id("jobs"),
    payload: anything,
    /** The hash of the worker's key. */
    handedTo: v.optional(v.string()),
    handedAt: v.optional(v.number()),
    handed: v.optional(handed),
  })
    .index("by_job", ["jobId"])
    .index("by_handed", ["handedTo", "handedAt"]),

  /** Large results. Small ones are kept with the attempt. Earlier versions stored all of them here. */
  results: defineTable({ jobId: v.id("jobs"), result: anything }).index("by_job", ["jobId"]),

  /** One worker's try at a job. Written by model/dispatch/, model/attempt/ and model/jobs/. */
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
    /** Whether the job woke its worker: then workers wait for jobs, not jobs for workers. */
    woken: v.optional(v.boolean()),
    /** Whether the worker took the job from beyond its part of the ring, or from a reserve. Omitted if not. */
    isSteal: v.optional(v.boolean()),
    /** Earlier versions stored the handed job here. */
    handed: v.optional(anything),
    /** The value of `onClaim`, for a worker that reads the job later. */
    fresh: v.optional(anything),
    /** When the job was handed over. Removed at the start. */
    handedAt: v.optional(v.number()),
    /** When the running attempt is taken from its worker, if the job has a limit. Removed at the end. */
    overdueAt: v.optional(v.number()),
    /**
     * When the running attempt is looked at because it takes longer than expected. Omitted if the job's size or the worker's
     * speed is unknown. Removed at the end.
     */
    suspectAt: v.optional(v.number()),
    /** When the worker started it, if it did not at the claim. */
    startedAt: v.optional(v.number()),
    claimedAt: v.number(),
    endedAt: v.optional(v.number()),
    report: v.optional(anything),
    /** A small result, until it is purged. Large ones are in `results`. */
    result: v.optional(anything),
    reply: v.optional(anything),
    error: v.optional(jobError),
    releaseReason: v.optional(v.string()),
    /** After a release: the worker does not get the job back before this time. */
    pausedUntil: v.optional(v.number()),
  })
    .index("by_job", ["jobId", "number"])
    .index("by_worker", ["workerId", "claimedAt"])
    .index("by_key", ["keyHash", "open"])
    .index("by_handed", ["scope", "handedAt"])
    .index("by_overdue", ["scope", "overdueAt"])
    .index("by_suspect", ["scope", "suspectAt"]),

  /** The time of the last scheduled check of handed-over jobs. Written by model/dispatch/reclaim.ts. */
  recalls: defineTable({ scope: v.string(), due: v.number() }).index("by_scope", ["scope"]),

  /**
   * The time of the next, or the last, check of attempts that take too long, and the second attempts that may be open. Written
   * by model/stragglers/ and model/suspicion.ts.
   */
  stragglerChecks: defineTable({
    scope: v.string(),
    due: v.number(),
    seconds: v.array(v.id("attempts")),
  }).index("by_scope", ["scope"]),

  /** Streamed text of a watched attempt. Written by model/streams/. */
  chunks: defineTable({
    jobId: v.id("jobs"),
    attemptId: v.id("attempts"),
    seq: v.number(),
    text: v.string(),
    /** The values that the worker sent beside the text. */
    data: v.optional(v.array(anything)),
    /** UTF-8 bytes of the attempt's text and data up to the end of this chunk. */
    endBytes: v.number(),
    /** Identifies the attempt's text up to the end of this chunk: model/streams/digest.ts. */
    digest: v.optional(
      v.object({ factor: v.number(), sum: v.number(), chars: v.number(), blanks: v.string() }),
    ),
  })
    .index("by_attempt", ["attemptId", "seq"])
    .index("by_job", ["jobId"]),

  /**
   * Hot: the last progress that the worker reported. Apart from the attempt, which other calls read. Deleted with the
   * payload. Written by model/jobs/rows.ts.
   */
  progress: defineTable({
    jobId: v.id("jobs"),
    attemptId: v.id("attempts"),
    view: anything,
    /** When it was reported. Optional, because older rows lack it. */
    at: v.optional(v.number()),
  }).index("by_job", ["jobId"]),

  /** Batches. Written by model/batches/. */
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

  /** Ends of a batch's jobs that are not counted yet, so that two ends never conflict. Written by model/batches/. */
  batchEnds: defineTable({
    batchId: v.id("batches"),
    outcome: finalStatus,
  }).index("by_batch", ["batchId"]),

  /**
   * Whether a count of a batch's ends is scheduled. Apart from the batch, whose row every count writes. Written by
   * model/batches/.
   */
  batchFolds: defineTable({ batchId: v.id("batches"), armed: v.boolean() }).index("by_batch", ["batchId"]),

  /** `jobId` waits for `on`. Deleted when that job is final. Written by model/dependencies/. */
  dependencies: defineTable({
    jobId: v.id("jobs"),
    on: v.id("jobs"),
    when: v.union(v.literal("succeeded"), v.literal("finished")),
  })
    .index("by_job", ["jobId"])
    .index("by_on", ["on"]),

  /**
   * The most jobs of a requester or a key that are ready or held at once, and a requester's weight. Written by
   * model/limits/.
   */
  limits: defineTable({
    scope: v.string(),
    of: limitedBy,
    name: v.string(),
    concurrency: v.optional(v.number()),
    weight: v.optional(v.number()),
  }).index("by_name", ["scope", "of", "name"]),

  /** Recurring jobs; @convex-dev/crons keeps their time. Written by model/recurring/. */
  recurring: defineTable({
    scope: v.string(),
    name: v.string(),
    schedule,
    paused: v.boolean(),
    /** A `jobSpec` without idempotency key. It was checked when it was set. */
    job: anything,
    runs: v.number(),
    lastJobId: v.optional(v.id("jobs")),
    /** The next due time, which also names that run; undefined while paused. */
    nextRunAt: v.optional(v.number()),
    createdAt: v.number(),
  }).index("by_name", ["scope", "name"]),

  /** Settings of a scope, or of all scopes (""). Written by model/configure.ts. */
  settings: defineTable({ scope: v.string(), values: settingsPatch }).index("by_scope", ["scope"]),

  /** Administrative changes and who made them. Events are never changed. Written by model/events.ts. */
  events: defineTable({
    scope: v.string(),
    at: v.number(),
    actor: v.string(),
    action: v.string(),
    subject: v.string(),
  }).index("by_scope", ["scope", "at"]),
});
