import type { ComponentApi } from "@convex-dev/crons/_generated/component.js";
import { componentsGeneric, createFunctionHandle } from "convex/server";
import type { JobSpec, Schedule } from "../../../shared/validators.ts";
import type { Doc, Id, MutationCtx } from "../builders.ts";
import { idOf } from "../load.ts";
import { maintenance } from "../references.ts";
import { submit } from "../submit/submit.ts";
import { nextRunAt, timeZoneOf } from "./schedule.ts";

/** The component that keeps the time; convex.config.ts installs it. */
const { crons } = componentsGeneric() as unknown as { readonly crons: ComponentApi };

/** Registers the schedule, which calls `fireRecurring` from now on. The clock's name is the row's id. */
export async function startClock(ctx: MutationCtx, { _id, schedule }: Doc<"recurring">): Promise<void> {
  await ctx.runMutation(crons.public.register, {
    name: _id,
    schedule: cronsSchedule(schedule),
    functionHandle: await createFunctionHandle(maintenance.fireRecurring),
    args: { recurringId: _id },
  });
}

export async function stopClock(ctx: MutationCtx, recurringId: Id<"recurring">): Promise<void> {
  const identifier = { name: recurringId };
  // Deleting a clock that does not exist throws.
  if ((await ctx.runQuery(crons.public.get, { identifier })) === null) return;
  await ctx.runMutation(crons.public.del, { identifier });
}

function cronsSchedule(schedule: Schedule) {
  return schedule.kind === "interval"
    ? { kind: "interval" as const, ms: schedule.everyMs }
    : { kind: "cron" as const, cronspec: schedule.expression, tz: timeZoneOf(schedule) };
}

/** The crons component's time and `nextRunAt` may differ by this much. */
const toleranceMs = 1_000;

/**
 * Submits a due recurring job. The due time is its idempotency key, so a repeated call creates one job. After an outage
 * the clock makes up for every missed call: the first one runs, the others find nothing due. If the queue is full or
 * draining, this run is skipped.
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
