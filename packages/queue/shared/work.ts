import { type Infer, type ObjectType, v } from "convex/values";
import { forward, type Forwarded } from "./forward.ts";
import {
  anything,
  capabilities,
  claimedJob,
  cursor,
  demand,
  nextWork,
  submitOutcome,
  subtask,
  waitSubscription,
} from "./validators.ts";

/*
 * The functions that workers call: their arguments, except the worker's identity, and their return values. The component
 * implements them (component/work.ts) and identifies a worker by the hash of its key. An app exports them with
 * `export * from "@gleaner/queue/work"`. The types of the component, the app and the worker are derived from here.
 *
 * All of them refuse `unauthorized` if the key is unknown or the worker is retired.
 */

const acknowledged = v.object({ kind: v.union(v.literal("ok"), v.literal("fenced")) });
const fencedIds = v.object({ fenced: v.array(v.string()) });
const attemptIds = v.array(v.string());

export const workerMutations = {
  /** A worker connects, reconnects, or has new capabilities. Refuses: unauthorized, invalid. */
  hello: {
    args: { version: v.optional(v.string()), capabilities, startup: v.boolean() },
    returns: v.object({ workerId: v.string(), leaseMs: v.number() }),
  },
  /** The worker's program ends. Its jobs go to others at once. */
  goodbye: { args: {}, returns: v.null() },
  /**
   * Renews the lease of a worker that has no other call to make: every 15 s while it holds jobs, otherwise at most once a
   * minute.
   */
  heartbeat: { args: {}, returns: v.null() },
  /**
   * Gives the worker jobs. If there are fewer than it wants, it waits in its lanes. `full`: it already holds as many as
   * it may.
   */
  take: {
    args: { demand },
    returns: v.union(
      v.object({ kind: v.literal("ok"), ...nextWork.fields }),
      v.object({
        kind: v.literal("unable"),
        reason: v.union(v.literal("paused"), v.literal("full")),
        /** Like that of `nextWork`. Only with `full`. */
        mostHeld: nextWork.fields.mostHeld,
      }),
    ),
  },
  /**
   * Claims a ready job. `taken`: another worker was faster, or the job is gone. `unable`: this worker may not run it now.
   * If it wants more than this job, it keeps waiting at `subscriptions`.
   */
  claim: {
    args: {
      jobId: v.string(),
      /** The worker that the job woke did not claim it in time. It loses its waiting position, because it may be dead. */
      late: v.boolean(),
      laneId: v.optional(v.string()),
      /** More jobs of the same affinity wait behind it. */
      backlogged: v.optional(v.boolean()),
      demand,
    },
    returns: v.union(
      v.object({
        kind: v.literal("claimed"),
        job: claimedJob,
        subscriptions: v.array(waitSubscription),
        cursor,
      }),
      v.object({ kind: v.literal("taken") }),
      v.object({ kind: v.literal("unable") }),
    ),
  },
  /**
   * Streams text of an attempt, and small values that belong to it, in their order. Both are kept while the job is watched.
   * `seq` begins at 0 and is the next number; another one changes nothing. `isFirst`: the text begins again from its start, for
   * readers who came later.
   */
  append: {
    args: {
      attemptId: v.string(),
      seq: v.number(),
      text: v.string(),
      data: v.optional(v.array(anything)),
      isFirst: v.optional(v.boolean()),
    },
    returns: acknowledged,
  },
  /** Reports the progress of an attempt, which the job's status then shows. Refuses: too_large. */
  progress: {
    args: { attemptId: v.string(), view: anything },
    returns: acknowledged,
  },
  /**
   * Submits up to 100 jobs in the name of the job that an attempt is at: `first` is the number of those before. A repeated
   * number returns the first job, so that another attempt does not double it. `not-allowed`: more than the job's policy
   * allows. Refuses: invalid, too_large, not_found.
   */
  submit: {
    args: { attemptId: v.string(), first: v.number(), jobs: v.array(subtask) },
    returns: v.union(
      ...submitOutcome.members,
      v.object({ kind: v.literal("fenced") }),
      v.object({ kind: v.literal("not-allowed"), most: v.number() }),
    ),
  },
  /**
   * Ends an attempt with a result. `starts`: the prefetched attempts that the worker now starts. `reply`: the answer of
   * the app's `onFinal`. Refuses: too_large.
   */
  complete: {
    args: {
      attemptId: v.string(),
      result: anything,
      report: v.optional(anything),
      starts: v.optional(attemptIds),
      demand,
    },
    returns: v.union(
      v.object({ kind: v.literal("completed"), reply: v.optional(anything), ...nextWork.fields }),
      v.object({ kind: v.literal("fenced"), ...nextWork.fields }),
      /** The app refused the result. The attempt has failed, and another worker gets the job. */
      v.object({ kind: v.literal("refused"), why: v.string(), ...nextWork.fields }),
    ),
  },
  /** Ends an attempt with an error. It counts against the job's retries. An error that is not retryable ends the job. */
  fail: {
    args: {
      attemptId: v.string(),
      error: v.object({
        code: v.string(),
        message: v.string(),
        retryable: v.boolean(),
        /** This worker cannot run the job. It says nothing about the job. */
        unfit: v.optional(v.boolean()),
        /** The job made the worker fail, for instance by crashing its program. Few workers try such a job. */
        byJob: v.optional(v.boolean()),
      }),
      starts: v.optional(attemptIds),
      demand,
    },
    returns: v.union(
      v.object({ kind: v.literal("failed"), ...nextWork.fields }),
      v.object({ kind: v.literal("fenced"), ...nextWork.fields }),
    ),
  },
  /** Gives attempts back: no failure, no retry used. `leave`: the worker takes nothing more until it calls `take`. */
  release: {
    args: { attemptIds, reason: v.string(), leave: v.boolean() },
    returns: fencedIds,
  },
  /** Starts prefetched jobs. `fenced`: attempts that were stolen, canceled or lost meanwhile. */
  start: { args: { attemptIds }, returns: fencedIds },
  /** The worker takes nothing more until it calls `take`. It keeps the jobs that it has started. */
  leave: { args: {}, returns: v.null() },
} as const;

export const workerQueries = {
  /**
   * The jobs that wake a waiting worker; it subscribes while it waits. `late`: a job of another worker, to be claimed if
   * it is still shown after 400 ms, or after 2 s if a worker holds it and has not started (`held`). `subscriptions`: the
   * positions at which the worker waits. If one is missing, the worker was taken for dead and should call `take`. If one
   * is added, there is a new lane. `laneId` and `backlogged`: the worker passes them on with the claim, which saves reads.
   */
  candidates: {
    args: { subscriptions: v.array(waitSubscription) },
    returns: v.object({
      subscriptions: v.array(waitSubscription),
      jobs: v.array(
        v.object({
          jobId: v.string(),
          laneId: v.string(),
          late: v.boolean(),
          held: v.optional(v.boolean()),
          /** How long the worker leaves the job to faster workers. */
          patienceMs: v.optional(v.number()),
          backlogged: v.optional(v.boolean()),
        }),
      ),
    }),
  },
  /**
   * The job that a worker was last handed while it waited, if its program has not restarted since; it subscribes to this
   * beside `candidates`. The worker starts it at once, and calls `start` if it takes longer than a moment. A job that was
   * taken from the worker is gone. One that the worker has started or ended may still be shown, so the worker has to know the
   * attempts that it was given.
   */
  handed: { args: {}, returns: v.array(claimedJob) },
  /** The attempts that the worker holds. If one is missing, it was canceled, stolen or lost, and the worker stops. */
  held: {
    args: {},
    returns: v.array(
      v.object({ attemptId: v.string(), jobId: v.string(), begun: v.boolean(), watched: v.boolean() }),
    ),
  },
} as const;

type Contract = typeof workerMutations & typeof workerQueries;
/** The arguments with which the component is called. */
export type WorkerCall<Name extends keyof Contract> = ObjectType<Contract[Name]["args"]> & {
  keyHash: string;
};
export type WorkerAnswer<Name extends keyof Contract> = Infer<Contract[Name]["returns"]>;
/** The app's functions by name. */
export type WorkerModule = Forwarded<typeof workerMutations, typeof workerQueries>;

// Convex finds functions by the names of a module's exports, so they are listed.
export const {
  hello,
  goodbye,
  heartbeat,
  take,
  candidates,
  handed,
  claim,
  append,
  progress,
  submit,
  complete,
  fail,
  release,
  start,
  leave,
  held,
}: WorkerModule = forward(workerMutations, workerQueries);
