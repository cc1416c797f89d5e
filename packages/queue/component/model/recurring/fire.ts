import type { Id, MutationCtx } from "../../builders.ts";
import type { JobSpec } from "../../validators.ts";
import { idOf } from "../load.ts";
import { submit } from "../submit/submit.ts";
import { nextRunAt } from "./schedule.ts";

/** The crons component's clock and the row's may differ by what lies between the two being set. */
const toleranceMs = 1_000;

/**
 * Submits a recurring job that is due, under its due time as idempotency key: a firing that is repeated is one job.
 * After an outage the clock makes up for every firing that it missed; the first is run, and the next is due after now,
 * so that the others find nothing due. A queue that is full or drained lets the firing out.
 */
export async function fireRecurring(
  ctx: MutationCtx,
  recurringId: Id<"recurring">,
  now: number,
): Promise<void> {
  const recurring = await ctx.db.get("recurring", recurringId);
  const due = recurring?.nextRunAt;
  if (recurring === null || due === undefined || now < due - toleranceMs) return;

  const idempotencyKey = `recurring:${recurringId}:${String(due)}`;
  const job = { ...(recurring.job as JobSpec), idempotencyKey };
  const outcome = await submit(ctx, { scope: recurring.scope, jobs: [job] }, now);
  const next = nextRunAt(recurring.schedule, { due, now: now + toleranceMs });
  const [jobId = ""] = outcome.kind === "submitted" ? outcome.jobIds : [];
  const lastJobId = idOf(ctx, "jobs", jobId);
  await ctx.db.patch("recurring", recurringId, {
    nextRunAt: next,
    ...(lastJobId === null ? {} : { lastJobId, runs: recurring.runs + 1 }),
  });
}
