import { isFinal, type JobStatus } from "../../../app/jobs/states.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { releaseReservation } from "../ledger/settle.ts";
import { move } from "./move.ts";

/** Cancels a ready or running job. A device that works on it sees its attempt leave work.held. */
export async function cancel(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  now: number,
): Promise<{ kind: "canceled" } | { kind: "already-final"; status: JobStatus }> {
  if (isFinal(job.status)) return { kind: "already-final", status: job.status };
  const moved = await move(ctx, job, { kind: "cancel" }, now);
  await releaseReservation(ctx, moved, now);
  return { kind: "canceled" };
}
