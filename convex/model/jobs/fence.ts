import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { present } from "../load.ts";

export type Held = { readonly attempt: Doc<"attempts">; readonly job: Doc<"jobs"> };

/**
 * Lets a device through that still holds the attempt: its own, running, and the job's current one.
 * Null is "fenced", whatever the cause, another organization's attempt included: it learns nothing.
 */
export async function passFence(
  ctx: QueryCtx,
  device: Doc<"devices">,
  attemptId: Id<"attempts">,
): Promise<Held | null> {
  const attempt = await ctx.db.get("attempts", attemptId);
  if (attempt?.deviceId !== device._id || attempt.status !== "running") return null;
  const job = present(await ctx.db.get("jobs", attempt.jobId), "job of an attempt");
  return job.currentAttemptId === attempt._id ? { attempt, job } : null;
}
