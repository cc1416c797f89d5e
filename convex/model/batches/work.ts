import { donatedHours, forecastDays } from "../../../app/forecast/capacity.ts";
import { workError, workShown } from "../../../app/forecast/work.ts";
import { bucketOf, spans } from "../../../app/statistics/spans.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";

/** The last requests of a short batch keep few devices busy, so it says little about the work of each. */
const leastMs = 30 * 60_000;

/**
 * By how much the work of an ended batch differed from what was expected before it began. Null: it says too little. The hours of the
 * fleet's devices since its start count, so all that held it up counts, too.
 */
export async function errorOfWork(
  ctx: QueryCtx,
  { organizationId, startedAt, workHours, completed, total, jobs = total }: Doc<"batches">,
  now: number,
): Promise<number | null> {
  if (startedAt === undefined || workHours === undefined || now - startedAt < leastMs) return null;
  const days = await ctx.db
    .query("capacityDays")
    .withIndex("by_organization", (q) =>
      q.eq("organizationId", organizationId).gte("startAt", bucketOf(startedAt, spans.day)),
    )
    .take(forecastDays);
  const answered = Math.round((completed * jobs) / total);
  return workError(workHours, workShown(answered, donatedHours(days, startedAt, now)), answered);
}

/** More ended batches say nothing new. */
const mostRead = 30;

/** The errors of the organization's last batches, as far as they are known. */
export async function knownErrors(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<readonly number[]> {
  const ended = await ctx.db
    .query("batches")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("status", "completed"))
    .order("desc")
    .take(mostRead);
  return ended.flatMap(({ workError: error }) => error ?? []);
}
