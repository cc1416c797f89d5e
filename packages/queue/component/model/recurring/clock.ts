import type { ComponentApi } from "@convex-dev/crons/_generated/component.js";
import { componentsGeneric, createFunctionHandle } from "convex/server";
import type { Doc, Id, MutationCtx } from "../../builders.ts";
import type { Schedule } from "../../validators.ts";
import { maintenance } from "../references.ts";
import { timeZoneOf } from "./schedule.ts";

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
