export { isStreamCursor } from "./stream-cursor.ts";
import { type Infer, v, type Value, type VAny } from "convex/values";

/** A payload, result or report. The queue bounds its size (`settings.maxPayloadBytes`) and never reads it. */
export const anything = v.any() as VAny<Value>;

export const finalStatus = v.union(
  v.literal("succeeded"),
  v.literal("failed"),
  v.literal("canceled"),
  v.literal("expired"),
);

/**
 * `waiting`: for its time, other jobs or its turn. `ready`: can be claimed. `prefetched`: a worker holds the job but has
 * not started it, so it can be stolen.
 */
export const jobStatus = v.union(
  v.literal("waiting"),
  v.literal("ready"),
  v.literal("prefetched"),
  v.literal("running"),
  ...finalStatus.members,
);

/**
 * Only `failed` and `lost` count against the job's retries. `outrun`: two workers had the job, and the other one ended it.
 */
export const attemptStatus = v.union(
  v.literal("prefetched"),
  v.literal("running"),
  v.literal("succeeded"),
  v.literal("failed"),
  v.literal("released"),
  v.literal("stolen"),
  v.literal("lost"),
  v.literal("outrun"),
  v.literal("canceled"),
  v.literal("expired"),
);

export const priority = v.union(v.literal("high"), v.literal("normal"), v.literal("low"));

/** A job's requirements. Jobs of the same kind with equal requirements share a lane. */
export const requirements = v.object({
  model: v.optional(v.string()),
  memoryMb: v.optional(v.number()),
  /** Free memory of a GPU. */
  vramMb: v.optional(v.number()),
  gpu: v.optional(v.boolean()),
  contextTokens: v.optional(v.number()),
  /** The worker needs all of them. */
  tags: v.optional(v.array(v.string())),
  /** The worker needs one of them. The app gives groups to workers. */
  groups: v.optional(v.array(v.string())),
  /** The worker needs all of them. The app gives labels to workers, which report their own tags. */
  labels: v.optional(v.array(v.string())),
  /** The app must allow the worker to handle this class. */
  dataClass: v.optional(v.string()),
});

/** How fast a worker is: units of a job's `size` a second. */
export const rate = v.object({ inputPerSecond: v.number(), outputPerSecond: v.number() });

/**
 * `of`: a model; for jobs that require no model, their kind. `setupMs`: the time that the worker needs before its next such job, for
 * instance to load the model. Absent: none.
 */
export const speed = v.object({ of: v.string(), ...rate.fields, setupMs: v.optional(v.number()) });

/**
 * How much work a job is, in the units of the workers' speeds. For a language model: the tokens that it reads, and those
 * that it may write. `likelyOutput`: those that it will probably write, if that is less. `setupMs`: the most that a worker
 * may need before it begins, for instance to load a model. Workers are compared by their own `setupMs`.
 */
export const size = v.object({
  input: v.number(),
  output: v.number(),
  likelyOutput: v.optional(v.number()),
  setupMs: v.optional(v.number()),
});

/**
 * The capabilities of a worker. `vramMb`: free memory of a GPU that it may use now. `contexts`: of single models, in place of `contextTokens`. `concurrency`: jobs that it runs
 * at once. `prefetch`: jobs that it holds in reserve. `speeds`: as measured, for each model or kind.
 */
export const capabilities = v.object({
  kinds: v.array(v.string()),
  models: v.optional(v.array(v.string())),
  memoryMb: v.optional(v.number()),
  vramMb: v.optional(v.number()),
  gpu: v.optional(v.boolean()),
  contextTokens: v.optional(v.number()),
  contexts: v.optional(v.array(v.object({ model: v.string(), contextTokens: v.number() }))),
  tags: v.optional(v.array(v.string())),
  concurrency: v.optional(v.number()),
  prefetch: v.optional(v.number()),
  speeds: v.optional(v.array(speed)),
});

/**
 * The capabilities that an organization allows a worker. A missing field allows everything. Lists: the names that remain.
 * `memoryMb`, `contextTokens`: the most that counts. `gpu` false: no jobs that require a GPU or
 * memory of one.
 */
export const allowedCapabilities = v.object({
  kinds: v.optional(v.array(v.string())),
  models: v.optional(v.array(v.string())),
  tags: v.optional(v.array(v.string())),
  memoryMb: v.optional(v.number()),
  gpu: v.optional(v.boolean()),
  contextTokens: v.optional(v.number()),
});

/** Retries of a job, and how long its data is kept. Defaults come from the settings. */
export const policy = v.object({
  /** The job is a dead letter after this many failed or lost attempts. */
  maxFailures: v.optional(v.number()),
  /** The same for failures of which the worker says that the job caused them (`byJob`). */
  maxFailuresByJob: v.optional(v.number()),
  /**
   * How many workers have to report the same error that is not retryable, before the job is a dead letter. If no other
   * worker could run the job, one is enough. By default every worker is believed: 1.
   */
  agreement: v.optional(v.number()),
  /** The most jobs that its workers may submit in its name (`ctx.submit`). 0 by default: they may not. */
  maxSubtasks: v.optional(v.number()),
  /**
   * Whether an idle worker may get the job, too, if its worker takes far longer than expected. The first result counts. True by
   * default. Needs the job's `size` and the workers' `speeds`.
   */
  secondAttempt: v.optional(v.boolean()),
  /**
   * The n-th wait is `firstMs` × factor^(n−1), at most `maxMs`. A random share of it, up to `jitter` (0 to 1), is
   * subtracted.
   */
  backoff: v.optional(
    v.object({ firstMs: v.number(), factor: v.number(), maxMs: v.number(), jitter: v.number() }),
  ),
  /** How long a final job's payload and result are kept, then its chunks, then its record. */
  payloadKeptMs: v.optional(v.number()),
  chunksKeptMs: v.optional(v.number()),
  recordKeptMs: v.optional(v.number()),
});

/** Why a job waits. `time`: until `dueAt`. `jobs`: for its dependencies. `turn`: a limit is reached. */
export const waitsFor = v.union(v.literal("time"), v.literal("jobs"), v.literal("turn"));

/** The two kinds of names that limits apply to. */
export const limitedBy = v.union(v.literal("requester"), v.literal("key"));
export type LimitedBy = Infer<typeof limitedBy>;

/** How jobs are chosen that are canceled together. */
export const canceledBy = v.union(...limitedBy.members, v.literal("batch"), v.literal("lane"));

/** The most jobs of one submission. */
export const maxJobsPerCall = 500;

export const jobError = v.object({ code: v.string(), message: v.string() });

export const jobSpec = v.object({
  kind: v.string(),
  payload: anything,
  requirements: v.optional(requirements),
  /** Requesters take turns, by weight. */
  requester: v.optional(v.string()),
  /** A second name under which jobs can be limited, listed and canceled, such as an API key. */
  key: v.optional(v.string()),
  priority: v.optional(priority),
  /** Whether a caller waits for the answer. Such jobs are refused at a shorter wait: `settings.maxCallWaitMs`. */
  called: v.optional(v.boolean()),
  /** Jobs with equal affinity (a prompt's prefix, a file) go to the same workers while that costs no time. */
  affinity: v.optional(v.string()),
  /**
   * Jobs of one kind with the same text go to different workers, at most 8 of them. A job waits until a worker without one is free.
   * The id of a job keeps them apart from that job, too, of whatever kind it is, also after its end.
   */
  apart: v.optional(v.string()),
  /** The ids of workers that never get the job, at most 200. */
  exceptWorkers: v.optional(v.array(v.string())),
  delayMs: v.optional(v.number()),
  /** Milliseconds since the epoch. The job expires if it has not started by then. */
  expiresAt: v.optional(v.number()),
  /** Milliseconds since the epoch. The job expires if it has not ended by then, even while it runs. */
  deadlineAt: v.optional(v.number()),
  /** How long a worker may work on the job. Then the attempt fails with `worker_timeout`, and the job goes to another. */
  attemptMs: v.optional(v.number()),
  /** With it, a job goes to the worker that ends it soonest, by the workers' speeds. */
  size: v.optional(size),
  after: v.optional(
    v.object({ jobs: v.array(v.string()), when: v.union(v.literal("succeeded"), v.literal("finished")) }),
  ),
  /** A second submission with this key returns the first job, or is refused if its `fingerprint` differs. */
  idempotencyKey: v.optional(v.string()),
  fingerprint: v.optional(v.string()),
  externalId: v.optional(v.string()),
  /** Stores text chunks from the start, for `settings.watchMs` and while `follow` is called. */
  watched: v.optional(v.boolean()),
  policy: v.optional(policy),
  /** Handle of a mutation `(FinalEvent) => reply`, called once, in the transaction that ends the job. */
  onFinal: v.optional(v.string()),
  /** Handle of a query `(ClaimEvent) => value`, called in the transaction that gives the job to a worker. */
  onClaim: v.optional(v.string()),
  /** A small value that `onFinal` and views return. */
  context: v.optional(anything),
});

/** The argument of `onClaim`. */
export const claimEvent = v.object({
  scope: v.string(),
  jobId: v.string(),
  kind: v.string(),
  context: v.optional(anything),
});
export type ClaimEvent = Infer<typeof claimEvent>;

/** A job that a worker submits in the name of the one that it runs. The queue copies the rest from that job. */
export const subtask = v.object({
  kind: jobSpec.fields.kind,
  payload: jobSpec.fields.payload,
  requirements: jobSpec.fields.requirements,
  affinity: jobSpec.fields.affinity,
  delayMs: jobSpec.fields.delayMs,
  attemptMs: jobSpec.fields.attemptMs,
  size: jobSpec.fields.size,
  after: jobSpec.fields.after,
});
export type Subtask = Infer<typeof subtask>;

export type JobSpec = Infer<typeof jobSpec>;
export type JobSize = Infer<typeof size>;
export type Rate = Infer<typeof rate>;
export type Speed = Infer<typeof speed>;
export type Requirements = Infer<typeof requirements>;

/** A requirement that no worker of a scope could ever meet. `together`: each is met, but by no worker all of them. */
export const missingRequirement = v.union(
  v.object({
    of: v.union(v.literal("groups"), v.literal("gpu"), v.literal("memoryMb"), v.literal("together")),
  }),
  v.object({ of: v.union(v.literal("labels"), v.literal("dataClass")), name: v.string() }),
);
export type MissingRequirement = Infer<typeof missingRequirement>;
export type Capabilities = Infer<typeof capabilities>;
export type AllowedCapabilities = Infer<typeof allowedCapabilities>;
export type Policy = Infer<typeof policy>;
export type Priority = Infer<typeof priority>;

/** The argument of `onFinal`. */
export const finalEvent = v.object({
  scope: v.string(),
  jobId: v.string(),
  kind: v.string(),
  /** How often the job was retried as a dead letter. */
  round: v.number(),
  outcome: finalStatus,
  /** The worker whose attempt ended the job: its `externalId`, or else its id. Null if no attempt ended it. */
  worker: v.union(v.string(), v.null()),
  attemptId: v.union(v.string(), v.null()),
  /** How long that worker had the job, in milliseconds. */
  heldMs: v.optional(v.number()),
  /** Attempts that failed or were lost before. */
  failures: v.optional(v.number()),
  /** Attempts that were given back, or lost before they started. */
  returns: v.optional(v.number()),
  /**
   * The attempt of a second worker that had the job at the same time, if the other one ended the job. `slow`: it was
   * the one that took far longer than expected.
   */
  outrun: v.optional(
    v.object({ worker: v.string(), attemptId: v.string(), heldMs: v.number(), slow: v.boolean() }),
  ),
  /** The worker's report beside the result. */
  report: v.optional(anything),
  error: v.union(jobError, v.null()),
  context: v.optional(anything),
});
export type FinalEvent = Infer<typeof finalEvent>;

/** A job without its payload and result. */
export const jobView = v.object({
  jobId: v.string(),
  kind: v.string(),
  requirements,
  status: jobStatus,
  waitsFor: v.union(waitsFor, v.null()),
  priority,
  requester: v.union(v.string(), v.null()),
  key: v.union(v.string(), v.null()),
  externalId: v.union(v.string(), v.null()),
  batchId: v.union(v.string(), v.null()),
  submittedAt: v.number(),
  startedAt: v.union(v.number(), v.null()),
  finishedAt: v.union(v.number(), v.null()),
  dueAt: v.union(v.number(), v.null()),
  attempts: v.number(),
  failures: v.number(),
  round: v.number(),
  watched: v.boolean(),
  error: v.union(jobError, v.null()),
  /** The worker's last progress. Lists omit it. */
  progress: v.optional(anything),
  /** The report of the attempt that completed the job. */
  report: v.optional(anything),
  reply: v.optional(anything),
  context: v.optional(anything),
});
export type JobView = Infer<typeof jobView>;

/** The `releaseReason` of an attempt whose worker was handed the job and did not start it. */
export const notStarted = "not started in time";

/** The `releaseReason` of an outrun attempt that took far longer than expected. */
export const tooSlow = "too slow";

export const attemptView = v.object({
  attemptId: v.string(),
  jobId: v.string(),
  kind: v.string(),
  model: v.union(v.string(), v.null()),
  workerId: v.string(),
  /** The worker's `externalId`. */
  worker: v.union(v.string(), v.null()),
  workerName: v.string(),
  number: v.number(),
  status: attemptStatus,
  claimedAt: v.number(),
  endedAt: v.union(v.number(), v.null()),
  error: v.union(jobError, v.null()),
  /** Of a released attempt, of a stolen one if it is `notStarted`, and of an outrun one if it is `tooSlow`. */
  releaseReason: v.union(v.string(), v.null()),
  report: v.optional(anything),
  /** The return value of `onFinal`: of the attempt that ended the job, and of an outrun one. */
  reply: v.optional(anything),
});
export type AttemptView = Infer<typeof attemptView>;

/** What happened to a job, without its content: for statistics. */
export const jobHistory = v.object({
  jobId: v.string(),
  /** The lane's name, which stays the same after the lane was deleted: JSON of the kind and the requirements. */
  lane: v.string(),
  status: jobStatus,
  round: v.number(),
  submittedAt: v.number(),
  /** The first start in any round. */
  startedAt: v.union(v.number(), v.null()),
  /** Null while the job is not final, as after a retry. */
  finishedAt: v.union(v.number(), v.null()),
  /** The newest ones of all rounds, oldest first. */
  attempts: v.array(
    v.object({
      /** The worker's `externalId`. Null after the worker's row was deleted. */
      worker: v.union(v.string(), v.null()),
      status: attemptStatus,
      claimedAt: v.number(),
      /** The claim, if no later start was reported. */
      startedAt: v.number(),
      endedAt: v.union(v.number(), v.null()),
      releaseReason: v.union(v.string(), v.null()),
      /** Whether the worker took the job from beyond its part of the ring, or from another worker's reserve. */
      isSteal: v.boolean(),
    }),
  ),
});
export type JobHistory = Infer<typeof jobHistory>;

/**
 * The position of a waiting worker in a lane's ring. The slots from this position up to the next worker's wake it.
 * The lane is "" while no lane has jobs that the worker can run. It then waits for such a lane.
 */
export const waitSubscription = v.object({ laneId: v.string(), position: v.number() });
export type WaitSubscription = Infer<typeof waitSubscription>;

/** The position where a worker's search continues. Opaque to the worker, which returns it with its next call. */
export const cursor = v.object({
  laneId: v.union(v.string(), v.null()),
  place: v.number(),
  turn: v.number(),
});
export type Cursor = Infer<typeof cursor>;

/** The data that a worker needs, beside the payload, to start a handed job. */
export const handed = v.object({
  attemptId: v.string(),
  number: v.number(),
  kind: v.string(),
  fresh: v.optional(anything),
  requirements: v.optional(requirements),
  watched: v.boolean(),
  deadlineAt: v.optional(v.number()),
});

/** A job that a worker holds. `begun` is false for one that it has prefetched. */
export const claimedJob = v.object({
  attemptId: v.string(),
  jobId: v.string(),
  kind: v.string(),
  payload: anything,
  requirements,
  number: v.number(),
  begun: v.boolean(),
  watched: v.boolean(),
  /** Milliseconds until its deadline, so that the worker's own clock does not matter. */
  remainingMs: v.union(v.number(), v.null()),
  /** The value of `onClaim`. Undefined without one, and if it threw. */
  fresh: v.optional(anything),
});
export type ClaimedJob = Infer<typeof claimedJob>;

/** The reply to the end of an attempt: the next jobs, or the worker's new wait subscriptions. */
export const nextWork = v.object({
  jobs: v.array(claimedJob),
  /** Empty if jobs were found, or if none were wanted. */
  subscriptions: v.array(waitSubscription),
  cursor,
  /** The most jobs that the app lets the worker hold, if it set a limit. */
  mostHeld: v.optional(v.number()),
});
export type NextWork = Infer<typeof nextWork>;

/** The number of jobs that a worker wants with a call, and where its search continues. */
export const demand = v.object({ jobs: v.number(), cursor: v.optional(cursor) });
export type Demand = Infer<typeof demand>;

export const workerStatus = v.union(v.literal("active"), v.literal("paused"), v.literal("retired"));

export const workerView = v.object({
  workerId: v.string(),
  externalId: v.union(v.string(), v.null()),
  name: v.string(),
  status: workerStatus,
  online: v.boolean(),
  /** Whether it waits for jobs in a lane now. */
  accepting: v.boolean(),
  groups: v.array(v.string()),
  labels: v.array(v.string()),
  dataClasses: v.array(v.string()),
  /** The capabilities that count: the report, cut to the limits. */
  capabilities: v.union(capabilities, v.null()),
  /** What the worker reported last. */
  reported: v.union(capabilities, v.null()),
  allowedCapabilities: v.union(allowedCapabilities, v.null()),
  maxConcurrentJobs: v.union(v.number(), v.null()),
  /** The first characters of a key that `register` made. Null if the app brought the key. */
  keyPrefix: v.union(v.string(), v.null()),
  version: v.union(v.string(), v.null()),
  registeredAt: v.number(),
  lastChangeAt: v.number(),
});
export type WorkerView = Infer<typeof workerView>;

export const laneState = v.union(v.literal("open"), v.literal("paused"), v.literal("draining"));

export const laneView = v.object({
  laneId: v.string(),
  /** Its kind and requirements in one text. A lane that was deleted and comes back has the same name. */
  name: v.string(),
  kind: v.string(),
  requirements,
  /** `paused`: workers claim no jobs. `draining`: new jobs are refused, and existing ones finish. */
  state: laneState,
  /** Who set the state last, and when (ms epoch). Null: nobody has, or an earlier version did. */
  stateBy: v.union(v.string(), v.null()),
  stateAt: v.union(v.number(), v.null()),
  slots: v.number(),
  /** Counted once a minute. */
  ready: v.number(),
  waiting: v.number(),
  running: v.number(),
  countedAt: v.union(v.number(), v.null()),
  /** When the oldest ready job became ready. Null without a ready job. */
  oldestReadyAt: v.union(v.number(), v.null()),
  /** How long a new job would wait, in ms, at high, normal and low priority. Null: unknown, or no job is ready. */
  waits: v.union(v.array(v.number()), v.null()),
});
export type LaneView = Infer<typeof laneView>;

/** The jobs of a requester that are not final. `running` includes prefetched jobs. */
export const requesterTally = v.object({
  name: v.string(),
  ready: v.number(),
  waiting: v.number(),
  running: v.number(),
});
export type RequesterTally = Infer<typeof requesterTally>;

export const batchView = v.object({
  batchId: v.string(),
  externalId: v.union(v.string(), v.null()),
  /** `open`: accepts more jobs. `sealed`: closed. `done`: every job is final, and `onDone` was called. */
  status: v.union(v.literal("open"), v.literal("sealed"), v.literal("done")),
  total: v.number(),
  succeeded: v.number(),
  failed: v.number(),
  canceled: v.number(),
  expired: v.number(),
  createdAt: v.number(),
  doneAt: v.union(v.number(), v.null()),
  context: v.optional(anything),
});
export type BatchView = Infer<typeof batchView>;

export const submitOutcome = v.union(
  /**
   * In the order of the jobs. `repeated`: the number of jobs that were submitted before with the same idempotency
   * key. `handed`: the number of jobs that were handed to waiting workers.
   */
  v.object({
    kind: v.literal("submitted"),
    jobIds: v.array(v.string()),
    repeated: v.number(),
    handed: v.number(),
  }),
  /** Nothing was submitted: the lane or the requester has too many jobs. */
  v.object({ kind: v.literal("full"), retryAfterMs: v.number() }),
  /** Nothing was submitted: a job would wait longer than the longest wait of its priority. */
  v.object({
    kind: v.literal("busy"),
    expectedWaitMs: v.number(),
    longestWaitMs: v.number(),
    retryAfterMs: v.number(),
  }),
  /** Nothing was submitted: the lane is draining. */
  v.object({ kind: v.literal("draining") }),
  /** Nothing was submitted: the idempotency key belongs to a different request. */
  v.object({ kind: v.literal("conflict"), idempotencyKey: v.string() }),
);
export type SubmitOutcome = Infer<typeof submitOutcome>;

/** A scope's settings; defaults are in model/settings.ts. */
export const settingsPatch = v.object({
  leaseMs: v.optional(v.number()),
  offlineAfterMs: v.optional(v.number()),
  maxQueued: v.optional(v.number()),
  maxQueuedPerRequester: v.optional(v.number()),
  maxWaitMs: v.optional(v.number()),
  maxCallWaitMs: v.optional(v.number()),
  maxPayloadBytes: v.optional(v.number()),
  watchMs: v.optional(v.number()),
  maxLanes: v.optional(v.number()),
  maxBatchJobs: v.optional(v.number()),
  releasePauseMs: v.optional(v.number()),
  minRetryAfterMs: v.optional(v.number()),
  maxRetryAfterMs: v.optional(v.number()),
  maxChunkBytes: v.optional(v.number()),
  maxTextBytes: v.optional(v.number()),
  policy: v.optional(policy),
});

export const schedule = v.union(
  v.object({ kind: v.literal("interval"), everyMs: v.number() }),
  /** A cron expression with five fields. `timeZone` is an IANA name and defaults to UTC. */
  v.object({ kind: v.literal("cron"), expression: v.string(), timeZone: v.optional(v.string()) }),
);
export type Schedule = Infer<typeof schedule>;
