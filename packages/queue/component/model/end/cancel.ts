import type { Doc, MutationCtx } from "../../builders.ts";
import { move } from "../jobs/move.ts";
import { isFinal, type JobStatus } from "../jobs/states.ts";

export type CancelOutcome =
  { readonly kind: "canceled" } | { readonly kind: "already-final"; readonly status: JobStatus };

/** Cancels a job that is not final. A worker that holds it sees its attempt leave `held`. */
export async function cancel(ctx: MutationCtx, job: Doc<"jobs">, now: number): Promise<CancelOutcome> {
  if (isFinal(job.status)) return { kind: "already-final", status: job.status };
  await move(ctx, job, { kind: "cancel" }, now);
  return { kind: "canceled" };
}
