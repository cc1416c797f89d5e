import { v } from "convex/values";
import { anything } from "../shared/validators.ts";
import { workerMutations, workerQueries } from "../shared/work.ts";
import { complete as completeJob } from "./model/attempt/complete.ts";
import { fail as failJob } from "./model/attempt/fail.ts";
import { release as releaseJobs, releaseWaiting } from "./model/attempt/release.ts";
import { start as startJobs } from "./model/attempt/start.ts";
import { authenticate } from "./model/authenticate.ts";
import { mutation, type MutationCtx, query } from "./model/builders.ts";
import { capacityOf } from "./model/capabilities.ts";
import { candidates as findCandidates } from "./model/dispatch/candidates.ts";
import { claim as claimJob } from "./model/dispatch/claim.ts";
import { handedJobs } from "./model/dispatch/handed.ts";
import { take as takeJobs } from "./model/dispatch/take.ts";
import { attemptById, attemptsById, type Held, heldByKey, passFence } from "./model/jobs/held.ts";
import { newestHanded } from "./model/jobs/payloads.ts";
import { noteProgress } from "./model/jobs/rows.ts";
import { leaseByKey, renew } from "./model/leases/renew.ts";
import { defined } from "./model/load.ts";
import { leaveRings, removeWaiters, waitersByKey } from "./model/rings/membership.ts";
import { appendChunk } from "./model/streams/chunks.ts";
import { submitSubtasks } from "./model/submit/subtasks.ts";
import { goodbye as sayGoodbye, hello as sayHello } from "./model/workers/hello.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

// shared/work.ts documents the functions. Here they take the hash of the worker's key.

const byWorker = { keyHash: v.string() };

export const hello = mutation({
  args: { ...byWorker, ...workerMutations.hello.args },
  returns: workerMutations.hello.returns,
  handler: async (ctx, args) => await sayHello(ctx, args, Date.now()),
});

export const goodbye = mutation({
  args: { ...byWorker, ...workerMutations.goodbye.args },
  returns: workerMutations.goodbye.returns,
  handler: async (ctx, { keyHash }) => {
    await sayGoodbye(ctx, await authenticate(ctx, keyHash), Date.now());
    return null;
  },
});

export const heartbeat = mutation({
  args: { ...byWorker, ...workerMutations.heartbeat.args },
  returns: workerMutations.heartbeat.returns,
  handler: async (ctx, { keyHash }) => {
    const [worker, lease] = await Promise.all([authenticate(ctx, keyHash), leaseByKey(ctx, keyHash)]);
    await renew(ctx, worker, lease, Date.now());
    return null;
  },
});

export const take = mutation({
  args: { ...byWorker, ...workerMutations.take.args },
  returns: workerMutations.take.returns,
  handler: async (ctx, args) => await takeJobs(ctx, args, Date.now()),
});

export const candidates = query({
  args: { ...byWorker, ...workerQueries.candidates.args },
  returns: workerQueries.candidates.returns,
  handler: async (ctx, args) => await findCandidates(ctx, args),
});

export const handed = query({
  args: { ...byWorker, ...workerQueries.handed.args },
  returns: workerQueries.handed.returns,
  handler: async (ctx, { keyHash }) => {
    const [worker, newest] = await Promise.all([authenticate(ctx, keyHash), newestHanded(ctx, keyHash)]);
    return await handedJobs(ctx, worker, newest);
  },
});

export const claim = mutation({
  args: { ...byWorker, ...workerMutations.claim.args },
  returns: workerMutations.claim.returns,
  handler: async (ctx, args) => await claimJob(ctx, args, Date.now()),
});

export const append = mutation({
  args: {
    ...byWorker,
    ...workerMutations.append.args,
    /** It is stored in place of the text and its data, for an app that encrypts them. Readers get it as the only data. */
    stored: v.optional(anything),
  },
  returns: workerMutations.append.returns,
  handler: async (ctx, { seq, text, data, stored, isFirst = seq === 0, ...from }) =>
    await report(
      ctx,
      from,
      async (held) => await appendChunk(ctx, held, { seq, text, ...defined({ data, stored }) }, isFirst),
    ),
});

export const progress = mutation({
  args: { ...byWorker, ...workerMutations.progress.args },
  returns: workerMutations.progress.returns,
  handler: async (ctx, { view, ...from }) =>
    await report(ctx, from, async (held) => await noteProgress(ctx, held, view, Date.now())),
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
    attemptById(ctx, attemptId),
  ]);
  const held = await passFence(ctx, worker, attempt);
  await renew(ctx, worker, lease, Date.now(), { holds: true });
  if (held === null) return { kind: "fenced" };
  await note(held);
  return { kind: "ok" };
}

export const submit = mutation({
  args: { ...byWorker, ...workerMutations.submit.args },
  returns: workerMutations.submit.returns,
  handler: async (ctx, call) => await submitSubtasks(ctx, call, Date.now()),
});

export const complete = mutation({
  args: { ...byWorker, ...workerMutations.complete.args },
  returns: workerMutations.complete.returns,
  handler: async (ctx, args) => await completeJob(ctx, args, Date.now()),
});

export const fail = mutation({
  args: {
    ...byWorker,
    ...workerMutations.fail.args,
    /** The app's judgment of an error that is not retryable. Workers cannot say it: their function has no such argument. */
    judged: v.optional(v.union(v.literal("true"), v.literal("false"))),
  },
  returns: workerMutations.fail.returns,
  handler: async (ctx, args) => await failJob(ctx, args, Date.now()),
});

export const release = mutation({
  args: { ...byWorker, ...workerMutations.release.args },
  returns: workerMutations.release.returns,
  handler: async (ctx, { keyHash, attemptIds, reason, leave: leaves }) => {
    const now = Date.now();
    const [worker, lease, attempts] = await Promise.all([
      authenticate(ctx, keyHash),
      leaseByKey(ctx, keyHash),
      attemptsById(ctx, attemptIds),
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

export const start = mutation({
  args: { ...byWorker, ...workerMutations.start.args },
  returns: workerMutations.start.returns,
  handler: async (ctx, { keyHash, attemptIds }) => {
    const now = Date.now();
    const [worker, lease, attempts, held, waiters] = await Promise.all([
      authenticate(ctx, keyHash),
      leaseByKey(ctx, keyHash),
      attemptsById(ctx, attemptIds),
      heldByKey(ctx, keyHash),
      waitersByKey(ctx, keyHash),
    ]);
    await renew(ctx, worker, lease, now, { holds: true });
    // The handed job takes longer, so other workers get the jobs that arrive at this worker's positions.
    if (held.length >= capacityOf(worker.capabilities).running) await removeWaiters(ctx, waiters);
    return { fenced: await startJobs(ctx, worker, attempts, now) };
  },
});

export const leave = mutation({
  args: { ...byWorker, ...workerMutations.leave.args },
  returns: workerMutations.leave.returns,
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

export const held = query({
  args: { ...byWorker, ...workerQueries.held.args },
  returns: workerQueries.held.returns,
  handler: async (ctx, { keyHash }) => {
    const [, attempts] = await Promise.all([authenticate(ctx, keyHash), heldByKey(ctx, keyHash)]);
    return await Promise.all(
      attempts.map(async ({ _id: attemptId, jobId, status }) => {
        const job = await ctx.db.get("jobs", jobId);
        return { attemptId, jobId, begun: status === "running", watched: job?.watched ?? false };
      }),
    );
  },
});
