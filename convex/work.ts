import { v } from "convex/values";
import { mutation, query } from "./_generated/server.js";
import { append as appendChunk } from "./model/jobs/append.ts";
import { candidatesFor, shownCandidates } from "./model/jobs/candidates.ts";
import { claim as claimJob } from "./model/jobs/claim.ts";
import { complete as completeJob } from "./model/jobs/complete.ts";
import { fail as failJob } from "./model/jobs/fail.ts";
import { heldBy } from "./model/jobs/held.ts";
import { release as releaseJob } from "./model/jobs/release.ts";
import { authenticateDevice } from "./model/keys/authenticate.ts";
import { renew } from "./model/leases/renew.ts";
import { owned } from "./model/load.ts";
import { chatResult, claimed, jobError } from "./model/validators.ts";

const ok = v.object({ kind: v.literal("ok") });
const fenced = v.object({ kind: v.literal("fenced") });

/**
 * Up to 8 jobs that the device could claim, the first in line first. Subscribe only while work is wanted,
 * and try one of them at random: then two devices seldom want the same.
 */
export const ready = query({
  args: { deviceKey: v.string() },
  returns: v.array(v.object({ jobId: v.id("jobs") })),
  handler: async (ctx, { deviceKey }) => {
    const device = await authenticateDevice(ctx, deviceKey);
    const jobs = await candidatesFor(ctx, device, shownCandidates);
    return jobs.map((job) => ({ jobId: job._id }));
  },
});

/** Claims a ready job. `taken`: another was faster. `unable`: this device may not run it (now). */
export const claim = mutation({
  args: { deviceKey: v.string(), jobId: v.id("jobs") },
  returns: v.union(claimed, v.object({ kind: v.literal("taken") }), v.object({ kind: v.literal("unable") })),
  handler: async (ctx, { deviceKey, jobId }) => {
    const device = await authenticateDevice(ctx, deviceKey);
    const job = owned(await ctx.db.get("jobs", jobId), device.organizationId, "job");
    return await claimJob(ctx, device, job, Date.now());
  },
});

/** Streams text of a watched job; `seq` counts from 0, and the same one again changes nothing. */
export const append = mutation({
  args: { deviceKey: v.string(), attemptId: v.id("attempts"), seq: v.number(), text: v.string() },
  returns: v.union(ok, fenced),
  handler: async (ctx, { deviceKey, ...chunk }) => {
    const device = await authenticateDevice(ctx, deviceKey);
    await renew(ctx, device, Date.now());
    return await appendChunk(ctx, device, chunk);
  },
});

/** Ends an attempt well: the result is kept, the device paid, and its next job claimed if it wants one. */
export const complete = mutation({
  args: {
    deviceKey: v.string(),
    attemptId: v.id("attempts"),
    result: chatResult,
    wantsNext: v.boolean(),
  },
  returns: v.union(
    v.object({
      kind: v.literal("settled"),
      earnedMicro: v.int64(),
      next: v.union(claimed, v.null()),
    }),
    fenced,
  ),
  handler: async (ctx, { deviceKey, ...done }) => {
    const device = await authenticateDevice(ctx, deviceKey);
    const now = Date.now();
    await renew(ctx, device, now);
    return await completeJob(ctx, device, done, now);
  },
});

/** Ends an attempt badly: it counts against the job's retries, and a final error ends the job. */
export const fail = mutation({
  args: { deviceKey: v.string(), attemptId: v.id("attempts"), error: jobError },
  returns: v.union(v.object({ kind: v.literal("ok"), next: v.null() }), fenced),
  handler: async (ctx, { deviceKey, ...failure }) => {
    const device = await authenticateDevice(ctx, deviceKey);
    const now = Date.now();
    await renew(ctx, device, now);
    return await failJob(ctx, device, failure, now);
  },
});

/** Gives an attempt back: no failure, no retry used. */
export const release = mutation({
  args: { deviceKey: v.string(), attemptId: v.id("attempts"), reason: v.string() },
  returns: v.union(ok, fenced),
  handler: async (ctx, { deviceKey, ...given }) => {
    const device = await authenticateDevice(ctx, deviceKey);
    const now = Date.now();
    await renew(ctx, device, now);
    return await releaseJob(ctx, device, given, now);
  },
});

/** What the device still holds. An attempt that is missing was canceled or fenced: abort it. */
export const held = query({
  args: { deviceKey: v.string() },
  returns: v.array(v.object({ attemptId: v.id("attempts") })),
  handler: async (ctx, { deviceKey }) => {
    const device = await authenticateDevice(ctx, deviceKey);
    const attempts = await heldBy(ctx, device._id);
    return attempts.map((attempt) => ({ attemptId: attempt._id }));
  },
});
