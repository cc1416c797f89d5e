import type { Priority } from "../../../shared/validators.ts";
import type { Doc, MutationCtx } from "../builders.ts";
import { notePriorities } from "../lanes/lanesFor.ts";
import { priorityNumber } from "../priority.ts";

/** `changed` also if the job already had the priority. `not-queued`: a worker runs the job, or it has ended. */
export type PriorityOutcome = { readonly kind: "changed" } | { readonly kind: "not-queued" };

/**
 * Changes the priority of a job that has not begun. It keeps its place among the jobs of its new priority, which are in the
 * order of their submission, and its turn.
 */
export async function reprioritize(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  priority: Priority,
): Promise<PriorityOutcome> {
  const level = priorityNumber(priority);
  if (job.status !== "waiting" && job.status !== "ready" && job.status !== "prefetched") {
    return { kind: "not-queued" };
  }
  if (job.level === level) return { kind: "changed" };
  const lane = await ctx.db.get("lanes", job.laneId);
  // Workers search only the priorities that a lane's jobs have had.
  if (lane !== null) await notePriorities(ctx, lane, [level]);
  await ctx.db.patch("jobs", job._id, { level });
  return { kind: "changed" };
}
