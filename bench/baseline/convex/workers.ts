import { makeFunctionReference } from "convex/server";
import { type GenericId, v } from "convex/values";
import { type Doc, internalMutation, mutation, type MutationCtx, query } from "./builders.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** A worker that is silent for this long counts as dead. */
const deadAfterMs = 60_000;

const timeOutReference = makeFunctionReference<"mutation", { jobId: GenericId<"jobs"> }, null>(
  "workers:timeOut",
);

export const register = mutation({
  args: { keys: v.array(v.string()) },
  handler: async (ctx, { keys }) => {
    for (const key of keys) {
      await ctx.db.insert("workers", { keyHash: await hashed(key), lastSeen: Date.now() });
    }
    return null;
  },
});

/** The subscription of every idle worker. */
export const isThereWork = query({
  args: {},
  handler: async (ctx) => {
    const job = await ctx.db
      .query("jobs")
      .withIndex("by_status", (q) => q.eq("status", "pending"))
      .first();
    return job !== null;
  },
});

/** Takes the oldest pending job. */
export const claim = mutation({
  args: { key: v.string() },
  handler: async (ctx, { key }) => {
    const worker = await seen(ctx, key);
    const job = await ctx.db
      .query("jobs")
      .withIndex("by_status", (q) => q.eq("status", "pending"))
      .first();
    if (job === null) return null;
    await ctx.db.patch(job._id, {
      status: "inProgress",
      lastUpdate: Date.now(),
      workerId: worker._id,
      timeOutId: await scheduleTimeOut(ctx, job),
    });
    return { jobId: job._id, payload: job.payload };
  },
});

/** A heartbeat, which postpones the timeout. */
export const heartbeat = mutation({
  args: { key: v.string(), jobId: v.id("jobs") },
  handler: async (ctx, { key, jobId }) => {
    const job = await held(ctx, await seen(ctx, key), jobId);
    await ctx.db.patch(jobId, { lastUpdate: Date.now(), timeOutId: await scheduleTimeOut(ctx, job) });
    return null;
  },
});

/** Appends to the answer. */
export const stream = mutation({
  args: { key: v.string(), jobId: v.id("jobs"), text: v.string() },
  handler: async (ctx, { key, jobId, text }) => {
    const job = await held(ctx, await seen(ctx, key), jobId);
    await append(ctx, job, text, "generating");
    return null;
  },
});

/** Appends the rest of the answer and ends the job. */
export const complete = mutation({
  args: { key: v.string(), jobId: v.id("jobs"), text: v.string() },
  handler: async (ctx, { key, jobId, text }) => {
    const job = await held(ctx, await seen(ctx, key), jobId);
    if (job.timeOutId !== undefined) await ctx.scheduler.cancel(job.timeOutId);
    await ctx.db.patch(jobId, { status: "success", lastUpdate: Date.now() });
    await append(ctx, job, text, "success");
    return null;
  },
});

/** The timeout. Each claim and heartbeat schedules it and cancels the previous one. */
export const timeOut = internalMutation({
  args: { jobId: v.id("jobs") },
  handler: async (ctx, { jobId }) => {
    const job = await ctx.db.get(jobId);
    if (job?.status === "inProgress") {
      await ctx.db.patch(jobId, { status: "timedOut", lastUpdate: Date.now() });
    }
    return null;
  },
});

async function seen(ctx: MutationCtx, key: string): Promise<Doc<"workers">> {
  const keyHash = await hashed(key);
  const worker = await ctx.db
    .query("workers")
    .withIndex("by_key", (q) => q.eq("keyHash", keyHash))
    .unique();
  if (worker === null) throw new Error("No worker has this key.");
  await ctx.db.patch(worker._id, { lastSeen: Date.now() });
  return worker;
}

async function held(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  jobId: Doc<"jobs">["_id"],
): Promise<Doc<"jobs">> {
  const job = await ctx.db.get(jobId);
  if (job?.status !== "inProgress" || job.workerId !== worker._id) {
    throw new Error("The job is not this worker's.");
  }
  return job;
}

async function scheduleTimeOut(
  ctx: MutationCtx,
  job: Doc<"jobs">,
): Promise<GenericId<"_scheduled_functions">> {
  if (job.timeOutId !== undefined) await ctx.scheduler.cancel(job.timeOutId);
  return ctx.scheduler.runAfter(deadAfterMs, timeOutReference, { jobId: job._id });
}

async function append(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  text: string,
  state: Doc<"messages">["state"],
): Promise<void> {
  const message = await ctx.db.get(job.messageId);
  if (message === null) throw new Error("The answer is gone.");
  await ctx.db.patch(message._id, { text: message.text + text, state });
}

async function hashed(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
