import type { ComponentApi } from "@convex-dev/crons/_generated/component.js";
import { componentsGeneric, createFunctionHandle } from "convex/server";
import type { Doc, Id, MutationCtx } from "../../builders.ts";
import type { JobSpec, Schedule } from "../../validators.ts";
import { idOf } from "../load.ts";
import { maintenance } from "../references.ts";
import { submit } from "../submit/submit.ts";
import { nextRunAt, timeZoneOf } from "./schedule.ts";

/** The component that keeps the time, as convex.config.ts installs it. */
const { crons } = componentsGeneric() as unknown as { readonly crons: ComponentApi };

/** Has `fireRecurring` called by the schedule, from now on. The clock is named by the row's id. */
export async function startClock(ctx: MutationCtx, { _id, schedule }: Doc<"recurring">): Promise<void> {
  await ctx.runMutation(crons.public.register, {
    name: _id,
    schedule: inTheirWords(schedule),
    functionHandle: await createFunctionHandle(maintenance.fireRecurring),
    args: { recurringId: _id },
  });
}

export async function stopClock(ctx: MutationCtx, recurringId: Id<"recurring">): Promise<void> {
  const identifier = { name: recurringId };
  // Deleting what is not there throws.
  if ((await ctx.runQuery(crons.public.get, { identifier })) === null) return;
  await ctx.runMutation(crons.public.del, { identifier });
}

function inTheirWords(schedule: Schedule) {
  return schedule.kind === "interval"
    ? { kind: "interval" as const, ms: schedule.everyMs }
    : { kind: "cron" as const, cronspec: schedule.expression, tz: timeZoneOf(schedule) };
}

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
