import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { present } from "../refuse.ts";

/*
 * The steps of calls of several jobs are scheduled mutations. The scheduler does not repeat one that has thrown, so the call says when
 * its next step is due, and a sweep goes on with calls whose step was lost.
 */

/** A step that is so late was lost, in ms. */
export const lostAfterMs = 5 * 60_000;
const resumedAtOnce = 25;

/** Schedules the next step of a call, unless an earlier one comes anyway: that one looks what is next. */
export async function scheduleStep(
  ctx: MutationCtx,
  callId: Id<"calls">,
  at: number,
  now: number,
): Promise<void> {
  const { stepAt } = present(await ctx.db.get("calls", callId), "call");
  const comesAnyway = stepAt !== undefined && stepAt <= at && stepAt >= now - lostAfterMs;
  if (!comesAnyway) await putStep(ctx, callId, at);
}

/** Schedules the next step of a call in place of any other. */
export async function putStep(ctx: MutationCtx, callId: Id<"calls">, at: number): Promise<void> {
  await ctx.db.patch("calls", callId, { stepAt: at });
  await ctx.scheduler.runAt(at, internal.calls.steps.goOn, { callId, at });
}

/** @returns whether a scheduled step is still the next one of its call. From now on the call has none. */
export async function takeStep(ctx: MutationCtx, callId: Id<"calls">, at: number): Promise<boolean> {
  const call = await ctx.db.get("calls", callId);
  if (call?.stepAt !== at) return false;
  await ctx.db.patch("calls", callId, { stepAt: undefined });
  return true;
}

/** Goes on with the next calls whose step was lost. One that is lost again comes after the others. */
export async function resumeCalls(ctx: MutationCtx, now: number): Promise<void> {
  const lost = await ctx.db
    .query("calls")
    .withIndex("by_step", (q) => q.gte("stepAt", 0).lt("stepAt", now - lostAfterMs))
    .take(resumedAtOnce);
  for (const { _id } of lost) await putStep(ctx, _id, now);
}
