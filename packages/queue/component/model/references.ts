import { type FunctionReference, makeFunctionReference } from "convex/server";
import { type Infer, type ObjectType, v } from "convex/values";
import { canceledBy, jobError, limitedBy } from "../../shared/validators.ts";

const failures = v.optional(v.number());
const scope = v.string();

/** A change of one job in background work. It is sent to the scheduled function `step`. */
const step = v.union(
  v.object({ kind: v.literal("cancel"), jobId: v.id("jobs"), error: v.optional(jobError) }),
  v.object({ kind: v.literal("expire"), jobId: v.id("jobs") }),
  v.object({ kind: v.literal("retry"), jobId: v.id("jobs") }),
  v.object({ kind: v.literal("markLost"), attemptId: v.id("attempts") }),
  v.object({ kind: v.literal("timeOut"), attemptId: v.id("attempts") }),
  v.object({ kind: v.literal("settle"), dependencyId: v.id("dependencies") }),
);
export type Step = Infer<typeof step>;

/**
 * The arguments of the component's scheduled functions (maintenance.ts). Calls may be pending in stored data, so names and
 * arguments stay as they are.
 */
export const taskArgs = {
  /** Checks a scope's leases, and its overdue attempts: model/attempt/overdue.ts. A worker's first call schedules it: model/leases/sweep.ts. */
  sweepLeases: { scope, due: v.number(), graced: v.boolean() },
  /** Takes back the jobs of a silent worker: model/leases/expireLease.ts. */
  expireLease: { workerId: v.id("workers"), lastSeenAt: v.number(), failures },
  /** Replaces lost sweeps. Called with the count of each minute: model/leases/sweep.ts. */
  healSweeps: {},
  /** Takes back jobs that were handed over and not started: model/dispatch/reclaim.ts. */
  reclaimUnstarted: { scope, due: v.number(), graced: v.optional(v.boolean()) },
  /** Gives jobs that take far longer than expected to second workers: model/stragglers/check.ts. */
  checkStragglers: { scope, due: v.number(), graced: v.optional(v.boolean()) },
  /** Makes delayed jobs ready when they are due: model/jobs/waiting.ts. */
  wakeDue: { at: v.optional(v.number()), later: v.optional(v.array(v.number())) },
  /** Ends a job that has not started or finished in time: model/end/expire.ts. */
  expire: { jobId: v.id("jobs"), at: v.number(), failures },
  /** Ends the jobs whose time limit has passed: model/end/expire.ts. Called with the count of each minute. */
  expireOverdue: {},
  /** Runs one step for a single job in its own transaction: model/tryAgain.ts. */
  step: { step },
  /** Admits waiting jobs of a limited requester or key: model/limits/admit.ts. */
  admit: { scope, of: limitedBy, name: v.string() },
  /** Updates the jobs that depend on a final job: model/dependencies/settle.ts. */
  settleDependents: {
    jobId: v.id("jobs"),
    refused: v.optional(v.array(v.id("dependencies"))),
    failures,
  },
  /** Counts a batch's final jobs: model/batches/fold.ts. */
  foldBatch: { batchId: v.id("batches"), failures, emptyLooks: v.optional(v.number()) },
  /** Submits a recurring job that is due. Called by the crons component: model/recurring/clock.ts. */
  fireRecurring: { recurringId: v.id("recurring") },
  /** Stops watching jobs whose watch was not renewed, and deletes a job's text: model/streams/follow.ts. */
  endWatching: { jobIds: v.array(v.id("jobs")) },
  deleteChunks: { jobId: v.id("jobs") },
  /** Fits a lane's slots to its number of waiting workers, and adds waiting workers to a new lane: model/rings/. */
  resize: { laneId: v.id("lanes") },
  addToLane: { laneId: v.id("lanes"), after: v.number() },
  /** Continues a mass cancellation: model/end/cancel.ts. `running`: whether running jobs are canceled, too. */
  cancelMany: {
    scope,
    by: canceledBy,
    name: v.string(),
    running: v.boolean(),
    error: v.optional(jobError),
    before: v.optional(v.number()),
    refused: v.optional(v.array(v.id("jobs"))),
    failures,
    /** Jobs that were found and come next. */
    jobIds: v.optional(v.array(v.id("jobs"))),
  },
  /** Continues a mass retry of dead letters: model/end/retry.ts. */
  retryMany: {
    scope,
    kind: v.union(v.string(), v.null()),
    status: v.union(v.literal("failed"), v.literal("expired")),
    cursor: v.union(v.string(), v.null()),
    before: v.number(),
  },
  /** Delete data after its retention time, one piece at a time: model/end/purge.ts, model/end/forget.ts. */
  purge: {},
  forget: {},
  /** Deletes unused lanes, one piece at a time, and their rings: model/lanes/forgetLanes.ts. */
  forgetLanes: { cursor: v.union(v.string(), v.null()) },
  emptyRings: { laneId: v.id("lanes") },
} as const;

type Tasks = {
  readonly [Name in keyof typeof taskArgs]: FunctionReference<
    "mutation",
    "internal",
    ObjectType<(typeof taskArgs)[Name]>,
    null
  >;
};

/** References to these functions. An import would make a circle, because maintenance.ts imports the model. */
export const maintenance = Object.fromEntries(
  Object.keys(taskArgs).map((name) => [name, makeFunctionReference(`maintenance:${name}`)]),
) as unknown as Tasks;
