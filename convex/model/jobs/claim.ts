import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { hold } from "../leases/renew.ts";
import { present } from "../load.ts";
import type { Claimed } from "../validators.ts";
import { heldBy, maxHeld } from "./held.ts";
import { move } from "./move.ts";
import { isUnfit } from "./unfit.ts";

/** A device does not get a job back that it released less than this before: releasing costs no retry. */
export const releasedPauseMs = 500;

export type ClaimOutcome = Claimed | { kind: "taken" } | { kind: "unable" };

/**
 * Gives a job of the device's own organization to it, with a new attempt under its lease. Reads the job by
 * its id and the device's own rows, so that only two devices that want the same job can collide.
 */
export async function claim(
  ctx: MutationCtx,
  device: Doc<"devices">,
  job: Doc<"jobs">,
  now: number,
): Promise<ClaimOutcome> {
  if (job.status !== "ready") return { kind: "taken" };
  if (device.status !== "active" || !device.capabilities.models.includes(job.lane)) return { kind: "unable" };
  if (isUnfit(job, device)) return { kind: "unable" };
  if (await hasJustReleased(ctx, device, job, now)) return { kind: "taken" };
  if ((await heldBy(ctx, device._id)).length >= maxHeld) return { kind: "unable" };

  const payload = present(
    await ctx.db
      .query("payloads")
      .withIndex("by_job", (q) => q.eq("jobId", job._id))
      .unique(),
    "payload of a ready job",
  );
  const number = job.attempts + 1;
  const attemptId = await ctx.db.insert("attempts", {
    organizationId: job.organizationId,
    jobId: job._id,
    deviceId: device._id,
    modelId: job.modelId,
    number,
    status: "running",
    startedAt: now,
    price: job.price,
  });
  await move(ctx, job, { kind: "claim" }, now, { job: { currentAttemptId: attemptId, attempts: number } });
  await hold(ctx, device, now);
  return {
    kind: "claimed",
    attemptId,
    jobId: job._id,
    modelId: job.modelId,
    request: payload.request,
    watched: job.watched,
  };
}

async function hasJustReleased(
  ctx: MutationCtx,
  device: Doc<"devices">,
  job: Doc<"jobs">,
  now: number,
): Promise<boolean> {
  if (job.attempts === 0) return false;
  const last = await ctx.db
    .query("attempts")
    .withIndex("by_job", (q) => q.eq("jobId", job._id).eq("number", job.attempts))
    .unique();
  return (
    last?.deviceId === device._id && last.status === "released" && now < (last.endedAt ?? 0) + releasedPauseMs
  );
}
