import { convexToJson, type Value } from "convex/values";
import type { JobSpec, Schedule } from "../../../shared/validators.ts";
import { boundedName, boundedSize } from "../bounds.ts";
import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { record } from "../events.ts";
import { present, refuse } from "../refuse.ts";
import { settingsOf } from "../settings.ts";
import { checkSpec } from "../submit/spec.ts";
import { startClock, stopClock } from "./clock.ts";
import { checkSchedule, nextRunAt } from "./schedule.ts";

export type RecurringJob = {
  readonly scope: string;
  readonly name: string;
  readonly schedule: Schedule;
  readonly job: JobSpec;
  readonly paused?: boolean;
  readonly actor?: string;
};

/**
 * Creates or changes a recurring job. If the schedule is unchanged, its clock continues, so an app may call this at
 * every start. Refuses: invalid, too_large.
 */
export async function setRecurring(ctx: MutationCtx, wanted: RecurringJob, now: number): Promise<void> {
  const { scope, name, schedule, job, actor } = wanted;
  boundedName(name, "name");
  checkSchedule(schedule, now);
  await checkJob(ctx, scope, job);
  const known = await findRecurring(ctx, scope, name);
  const paused = wanted.paused ?? known?.paused ?? false;
  if (
    known === null ||
    known.paused !== paused ||
    !sameValue(known.schedule, schedule) ||
    !sameValue(known.job, job)
  ) {
    await record(ctx, { scope, at: now, actor, action: "recurring.set", subject: name });
  }
  if (known === null) {
    const row = await insert(ctx, { scope, name, schedule, job, paused: true, runs: 0, createdAt: now });
    if (!paused) await activate(ctx, row, now);
    return;
  }
  const same = sameValue(known.schedule, schedule);
  await ctx.db.patch("recurring", known._id, { schedule, job });
  if (!same || paused) await deactivate(ctx, known._id);
  if (!paused && (!same || known.paused)) await activate(ctx, { ...known, schedule }, now);
}

export async function setPaused(
  ctx: MutationCtx,
  recurring: Doc<"recurring">,
  { paused, actor }: { readonly paused: boolean; readonly actor?: string | undefined },
  now: number,
): Promise<void> {
  if (recurring.paused === paused) return;
  await (paused ? deactivate(ctx, recurring._id) : activate(ctx, recurring, now));
  const { scope, name } = recurring;
  const action = paused ? "recurring.pause" : "recurring.resume";
  await record(ctx, { scope, at: now, actor, action, subject: name });
}

export async function removeRecurring(
  ctx: MutationCtx,
  { _id, scope, name }: Doc<"recurring">,
  actor: string | undefined,
  now: number,
): Promise<void> {
  await stopClock(ctx, _id);
  await ctx.db.delete("recurring", _id);
  await record(ctx, { scope, at: now, actor, action: "recurring.remove", subject: name });
}

function sameValue(a: Value, b: Value): boolean {
  return JSON.stringify(convexToJson(a)) === JSON.stringify(convexToJson(b));
}

async function activate(ctx: MutationCtx, row: Doc<"recurring">, now: number): Promise<void> {
  const next = nextRunAt(row.schedule, { due: now, now });
  await ctx.db.patch("recurring", row._id, { paused: false, nextRunAt: next });
  await startClock(ctx, row);
}

async function deactivate(ctx: MutationCtx, recurringId: Id<"recurring">): Promise<void> {
  await stopClock(ctx, recurringId);
  await ctx.db.patch("recurring", recurringId, { paused: true, nextRunAt: undefined });
}

async function insert(
  ctx: MutationCtx,
  row: Omit<Doc<"recurring">, "_id" | "_creationTime">,
): Promise<Doc<"recurring">> {
  if ((await allRecurring(ctx, row.scope)).length >= maxRecurring) {
    refuse("invalid", `There are ${String(maxRecurring)} recurring jobs already. Remove one.`);
  }
  return present(await ctx.db.get("recurring", await ctx.db.insert("recurring", row)), "new recurring job");
}

async function checkJob(ctx: MutationCtx, scope: string, job: JobSpec): Promise<void> {
  checkSpec(job);
  const { maxPayloadBytes } = await settingsOf(ctx, scope);
  boundedSize(job.payload, "The payload", maxPayloadBytes);
  for (const field of ["idempotencyKey", "externalId", "after", "expiresAt", "deadlineAt"] as const) {
    if (job[field] !== undefined)
      refuse("invalid", `A recurring job can't have ${field}, because every run would share it.`);
  }
}

export async function findRecurring(
  ctx: QueryCtx,
  scope: string,
  name: string,
): Promise<Doc<"recurring"> | null> {
  return await ctx.db
    .query("recurring")
    .withIndex("by_name", (q) => q.eq("scope", scope).eq("name", name))
    .unique();
}

/** All recurring jobs of a scope. */
export async function allRecurring(ctx: QueryCtx, scope: string): Promise<Doc<"recurring">[]> {
  return await ctx.db
    .query("recurring")
    .withIndex("by_name", (q) => q.eq("scope", scope))
    .take(maxRecurring);
}

const maxRecurring = 500;
