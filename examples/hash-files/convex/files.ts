import { internalMutationGeneric, internalQueryGeneric } from "convex/server";
import { v } from "convex/values";
import { queue, scope } from "./queue.ts";

/** Submits a job for a file. These functions are internal: a real app would first check who is calling. */
export const submit = internalMutationGeneric({
  args: { file: v.string() },
  handler: async (ctx, { file }) => {
    // The same file goes to the same worker, which may still have it in its disk cache.
    const outcome = await queue.submit(ctx, scope, { kind: "hash", payload: { file }, affinity: file });
    if (outcome.kind !== "submitted") throw new Error(`The queue refused the job: ${outcome.kind}.`);
    return outcome.jobId;
  },
});

/** A job's status, error and result. */
export const look = internalQueryGeneric({
  args: { jobId: v.string() },
  handler: async (ctx, { jobId }) => {
    const [job, result] = await Promise.all([
      queue.status(ctx, scope, jobId),
      queue.result(ctx, scope, jobId),
    ]);
    return { status: job?.status ?? null, error: job?.error ?? null, result: result?.result ?? null };
  },
});

/** Lets a worker with this key take jobs. */
export const registerWorker = internalMutationGeneric({
  args: { key: v.string(), name: v.string() },
  handler: async (ctx, worker) => await queue.workers.register(ctx, scope, worker),
});
