import type { Doc, MutationCtx } from "../../builders.ts";
import { move } from "../jobs/move.ts";
import { present } from "../refuse.ts";
import { policyOf, settingsOf } from "../settings.ts";

/**
 * The lease ran out: the attempt is fenced off, and the job is ready again at once, or a dead letter. One that was only
 * held ahead is no failure, however often.
 */
export async function lose(ctx: MutationCtx, attempt: Doc<"attempts">, now: number): Promise<void> {
  const [found, settings] = await Promise.all([
    ctx.db.get("jobs", attempt.jobId),
    settingsOf(ctx, attempt.scope),
  ]);
  const job = present(found, "job of an open attempt");
  const failures = job.failures + 1;
  const final = job.status === "running" && failures >= policyOf(settings, job.policy).maxFailures;
  const error = {
    code: "worker_lost",
    message: `The last of ${String(failures)} attempts was lost: its worker went silent.`,
  };
  await move(ctx, job, { kind: "lose", final }, now, { job: final ? { error } : {} });
}
