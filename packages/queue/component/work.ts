import { type Infer, type PropertyValidators, v } from "convex/values";
import { mutation, type MutationCtx, query } from "./builders.ts";
import { complete as completeJob } from "./model/attempt/complete.ts";
import { fail as failJob } from "./model/attempt/fail.ts";
import { release as releaseJobs, releaseWaiting } from "./model/attempt/release.ts";
import { start as startJobs } from "./model/attempt/start.ts";
import { authenticate } from "./model/authenticate.ts";
import { capacityOf } from "./model/capabilities.ts";
import { unstartedJobs } from "./model/dispatch/assign.ts";
import { candidates as findCandidates } from "./model/dispatch/candidates.ts";
import { claim as claimJob } from "./model/dispatch/claim.ts";
import { take as takeJobs } from "./model/dispatch/take.ts";
import { attemptOf, attemptsOf, type Held, heldByKey, passFence } from "./model/jobs/held.ts";
import { noteProgress } from "./model/jobs/rows.ts";
import { leaseByKey, renew } from "./model/leases/renew.ts";
import { leaveRings, removeWaiters, waitersByKey } from "./model/rings/membership.ts";
import { appendChunk } from "./model/streams/chunks.ts";
import { goodbye as sayGoodbye, hello as sayHello } from "./model/workers/hello.ts";
import { anything, claimedJob, cursor, nextWork, waitSubscription } from "./validators.ts";
import { workerMutations, workerQueries } from "./workerArgs.ts";

const byWorker = { keyHash: v.string() };
const fencedIds = v.object({ fenced: v.array(v.string()) });
const heldAttempt = v.object({
  attemptId: v.string(),
  jobId: v.string(),
  begun: v.boolean(),
  watched: v.boolean(),
});
const acknowledged = v.object({ kind: v.union(v.literal("ok"), v.literal("fenced")) });

function withNext<Kind extends string, Fields extends PropertyValidators>(kind: Kind, fields: Fields) {
  return v.object({ kind: v.literal(kind), ...fields, ...nextWork.fields });
}

// All functions for workers refuse `unauthorized` if the key is unknown or the worker is retired.

/** A worker connects, reconnects, or has new capabilities. Refuses: unauthorized, invalid. */
export const hello = mutation({
  args: { ...byWorker, ...workerMutations.hello },
  returns: v.object({ workerId: v.string(), leaseMs: v.number() }),
  handler: async (ctx, greeting) => await sayHello(ctx, greeting, Date.now()),
});

/** The worker's program ends. Its jobs go to others at once. */
export const goodbye = mutation({
  args: { ...byWorker, ...workerMutations.goodbye },
  returns: v.null(),
  handler: async (ctx, { keyHash }) => {
    await sayGoodbye(ctx, await authenticate(ctx, keyHash), Date.now());
    return null;
  },
});

/**
 * Renews the lease of a worker that has no other call to make: every 15 s while it holds jobs, otherwise at most once a
 * minute.
 */
export const heartbeat = mutation({
  args: { ...byWorker, ...workerMutations.heartbeat },
  returns: v.null(),
  handler: async (ctx, { keyHash }) => {
    const [worker, lease] = await Promise.all([authenticate(ctx, keyHash), leaseByKey(ctx, keyHash)]);
    await renew(ctx, worker, lease, Date.now());
    return null;
  },
});

/**
 * Gives the worker jobs. If there are fewer than it wants, it waits in its lanes. `full`: it already holds as many as
 * it may.
 */
export const take = mutation({
  args: { ...byWorker, ...workerMutations.take },
  returns: v.union(
    withNext("ok", {}),
    v.object({
      kind: v.literal("unable"),
      reason: v.union(v.literal("paused"), v.literal("full")),
    }),
  ),
  handler: async (ctx, args) => await takeJobs(ctx, args, Date.now()),
});

/**
 * The jobs that wake a waiting worker; it subscribes while it waits. `late`: a job of another worker, to be claimed if
 * it is still shown after 400 ms, or after 2 s if a worker holds it and has not started (`held`). `stands`: where the
 * worker waits. If one is missing, the worker was taken for dead and should call `take`. If one is added, there is a
 * new lane. `crowded`: pass it on with the claim.
 */
export const candidates = query({
  args: { ...byWorker, ...workerQueries.candidates },
  returns: v.object({
    stands: v.array(waitSubscription),
    jobs: v.array(
      v.object({
        jobId: v.string(),
        laneId: v.string(),
        late: v.boolean(),
        held: v.optional(v.boolean()),
        crowded: v.optional(v.boolean()),
      }),
    ),
  }),
  handler: async (ctx, args) => await findCandidates(ctx, args),
});

/**
 * The jobs that a worker was handed while it waited; it subscribes to this beside `candidates`. The worker starts them
 * at once, and calls `start` if a job takes longer than a moment.
 */
export const handed = query({
  args: { ...byWorker, ...workerQueries.handed },
  returns: v.array(claimedJob),
  handler: async (ctx, { keyHash }) => {
    const [, attempts] = await Promise.all([authenticate(ctx, keyHash), heldByKey(ctx, keyHash)]);
    return await unstartedJobs(ctx, attempts);
  },
});

/**
 * Claims a ready job. `taken`: another worker was faster, or the job is gone. `unable`: this worker may not run it now.
 * If it wants more than this job, it keeps waiting where `stands` says.
 */
export const claim = mutation({
  args: { ...byWorker, ...workerMutations.claim },
  returns: v.union(
    v.object({ kind: v.literal("claimed"), job: claimedJob, stands: v.array(waitSubscription), cursor }),
    v.object({ kind: v.literal("taken") }),
    v.object({ kind: v.literal("unable") }),
  ),
  handler: async (ctx, args) => await claimJob(ctx, args, Date.now()),
});

/**
 * Streams text of an attempt. The text is kept while the job is watched. `seq` must grow; a repeated one changes
 * nothing.
 */
export const append = mutation({
  args: { ...byWorker, ...workerMutations.append },
  returns: acknowledged,
  handler: async (ctx, { seq, text, ...from }) =>
    await report(ctx, from, async (held) => await appendChunk(ctx, held, { seq, text })),
});

/** Reports the progress of an attempt, which the job's status then shows. Refuses: too_large. */
export const progress = mutation({
  args: { ...byWorker, ...workerMutations.progress },
  returns: acknowledged,
  handler: async (ctx, { view, ...from }) =>
    await report(ctx, from, async (held) => await noteProgress(ctx, held, view)),
});

/** Runs a report about an attempt that the worker holds. */
async function report(
  ctx: MutationCtx,
  { keyHash, attemptId }: { readonly keyHash: string; readonly attemptId: string },
  note: (held: Held) => Promise<void>,
): Promise<{ kind: "ok" | "fenced" }> {
  const [worker, lease, attempt] = await Promise.all([
    authenticate(ctx, keyHash),
    leaseByKey(ctx, keyHash),
    attemptOf(ctx, attemptId),
  ]);
  const held = await passFence(ctx, worker, attempt);
  await renew(ctx, worker, lease, Date.now(), { holds: true });
  if (held === null) return { kind: "fenced" };
  await note(held);
  return { kind: "ok" };
}

/** Ends an attempt with a result. `reply`: the answer of the app's `onFinal`. Refuses: too_large. */
export const complete = mutation({
  args: { ...byWorker, ...workerMutations.complete },
  returns: v.union(withNext("completed", { reply: v.optional(anything) }), withNext("fenced", {})),
  handler: async (ctx, args) => await completeJob(ctx, args, Date.now()),
});

/** Ends an attempt with an error. It counts against the job's retries. An error that is not retryable ends the job. */
export const fail = mutation({
  args: { ...byWorker, ...workerMutations.fail },
  returns: v.union(withNext("failed", {}), withNext("fenced", {})),
  handler: async (ctx, args) => await failJob(ctx, args, Date.now()),
});

/** Gives attempts back: no failure, no retry used. `leave`: the worker takes nothing more until it calls `take`. */
export const release = mutation({
  args: { ...byWorker, ...workerMutations.release },
  returns: fencedIds,
  handler: async (ctx, { keyHash, attemptIds, reason, leave: leaves }) => {
    const now = Date.now();
    const [worker, lease, attempts] = await Promise.all([
      authenticate(ctx, keyHash),
      leaseByKey(ctx, keyHash),
      attemptsOf(ctx, attemptIds),
    ]);
    await renew(ctx, worker, lease, now);
    const fenced = await releaseJobs(ctx, worker, attempts, reason, now);
    if (leaves) {
      await leaveRings(ctx, worker._id);
      await releaseWaiting(ctx, worker, await heldByKey(ctx, keyHash), now);
    }
    return { fenced };
  },
});

/** Starts prefetched jobs. `fenced`: attempts that were stolen, canceled or lost meanwhile. */
export const start = mutation({
  args: { ...byWorker, ...workerMutations.start },
  returns: fencedIds,
  handler: async (ctx, { keyHash, attemptIds }) => {
    const now = Date.now();
    const [worker, lease, attempts, held, waiters] = await Promise.all([
      authenticate(ctx, keyHash),
      leaseByKey(ctx, keyHash),
      attemptsOf(ctx, attemptIds),
      heldByKey(ctx, keyHash),
      waitersByKey(ctx, keyHash),
    ]);
    await renew(ctx, worker, lease, now, { holds: true });
    // The handed job takes longer, so other workers get the jobs that arrive at this worker's positions.
    if (held.length >= capacityOf(worker.capabilities).running) await removeWaiters(ctx, waiters);
    return { fenced: await startJobs(ctx, worker, attempts, now) };
  },
});

/** The worker takes nothing more until it calls `take`. It keeps the jobs that it has started. */
export const leave = mutation({
  args: { ...byWorker, ...workerMutations.leave },
  returns: v.null(),
  handler: async (ctx, { keyHash }) => {
    const now = Date.now();
    const [worker, lease, held] = await Promise.all([
      authenticate(ctx, keyHash),
      leaseByKey(ctx, keyHash),
      heldByKey(ctx, keyHash),
    ]);
    await renew(ctx, worker, lease, now);
    await leaveRings(ctx, worker._id);
    await releaseWaiting(ctx, worker, held, now);
    return null;
  },
});

/** The attempts that the worker holds. If one is missing, it was canceled, stolen or lost, and the worker stops. */
export const held = query({
  args: { ...byWorker, ...workerQueries.held },
  returns: v.array(heldAttempt),
  handler: async (ctx, { keyHash }): Promise<Infer<typeof heldAttempt>[]> => {
    const [, attempts] = await Promise.all([authenticate(ctx, keyHash), heldByKey(ctx, keyHash)]);
    return await Promise.all(
      attempts.map(async ({ _id: attemptId, jobId, status }) => {
        const job = await ctx.db.get("jobs", jobId);
        return { attemptId, jobId, begun: status === "running", watched: job?.watched ?? false };
      }),
    );
  },
});
