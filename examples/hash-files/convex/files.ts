import { internalMutationGeneric, internalQueryGeneric } from "convex/server";
import { v } from "convex/values";
import { queue, scope } from "./queue.ts";

/** Has a file hashed by whichever worker is free. Internal, as all here: who may ask is another app's question. */
export const submit = internalMutationGeneric({
  args: { file: v.string() },
  handler: async (ctx, { file }) => {
    // The same file goes to the worker that had it last, whose disk may still hold it in memory.
    const outcome = await queue.submit(ctx, scope, { kind: "hash", payload: { file }, affinity: file });
    if (outcome.kind !== "submitted") throw new Error(`The job was not taken: ${outcome.kind}.`);
    return outcome.jobId;
  },
});

/** How a job stands, and what came of it. */
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

/** Lets whoever has this key work for the queue. */
export const registerWorker = internalMutationGeneric({
  args: { key: v.string(), name: v.string() },
  handler: async (ctx, worker) => await queue.workers.register(ctx, scope, worker),
});
