import { maxFailedAttempts } from "../../../app/jobs/limits.ts";
import { isFinal } from "../../../app/jobs/states.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { releaseReservation } from "../ledger/settle.ts";
import { present } from "../load.ts";
import { move } from "./move.ts";

/** The lease ran out: the attempt is fenced off, and the job goes back to the queue, or fails for good. */
export async function lose(ctx: MutationCtx, attempt: Doc<"attempts">, now: number): Promise<void> {
  const job = present(await ctx.db.get("jobs", attempt.jobId), "job of an attempt");
  const final = job.failures + 1 >= maxFailedAttempts;
  const error = {
    code: "device_lost",
    message: `The last of ${String(job.failures + 1)} devices that tried it went silent.`,
  };
  const moved = await move(ctx, job, { kind: "lose", final }, now, { job: final ? { error } : {} });
  if (isFinal(moved.status)) await releaseReservation(ctx, moved, now);
}
