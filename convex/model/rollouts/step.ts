import { placeWords, type RolloutPlace } from "../../../app/models/rollout/acts.ts";
import { countsUpTo, nextStep, noDevices } from "../../../app/models/rollout/next-step.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { ActionCtx, MutationCtx, QueryCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { findModel } from "../models/catalog.ts";
import { countsOf } from "./find.ts";

/*
 * Every few seconds, for each roll-out that is not done: adds the devices that changed to its counts, then decides. Nothing here
 * reads more than a batch, however large the fleet is.
 */

const perBatch = 50;
const rolloutsAtOnce = 100;
/** A plan that takes longer was cut off, and starts again. A fleet without a device for the first stage is planned again, too. */
const planWithinMs = 60_000;
const maxReasons = 20;

/** Schedules a step of each roll-out that is not done, some at a time. */
export async function stepAll(ctx: MutationCtx, cursor: string | null, now: number): Promise<void> {
  const open = await ctx.db
    .query("modelRollouts")
    .withIndex("by_any_open", (q) => q.eq("isOpen", true))
    .paginate({ cursor, numItems: rolloutsAtOnce });
  for (const { _id: rolloutId, state, stage, stages, stageAt } of open.page) {
    const isEmpty = state === "running" && stage === 0 && stages[0]?.devices === 0;
    if ((state === "planning" || isEmpty) && now - stageAt > planWithinMs) {
      await ctx.db.patch("modelRollouts", rolloutId, { state: "planning", stageAt: now });
      await ctx.scheduler.runAfter(0, internal.rollouts.plan, { rolloutId });
    } else if (state !== "planning") {
      await ctx.scheduler.runAfter(0, internal.rollouts.step, { rolloutId });
    }
  }
  if (!open.isDone)
    await ctx.scheduler.runAfter(0, internal.rollouts.stepOpen, { cursor: open.continueCursor });
}

/** An action, because a mutation that reads which devices changed would conflict with each of them. */
export async function stepRollout(ctx: ActionCtx, rolloutId: Id<"modelRollouts">): Promise<void> {
  const { uncounted, countDevices, decide } = internal.rollouts;
  for (let changed = perBatch; changed === perBatch;) {
    const rowIds: Id<"modelRolloutDevices">[] = await ctx.runQuery(uncounted, { rolloutId });
    if (rowIds.length > 0) await ctx.runMutation(countDevices, { rolloutId, rowIds });
    changed = rowIds.length;
  }
  await ctx.runMutation(decide, { rolloutId });
}

/** Some devices that changed since they were counted. */
export async function uncountedOf(
  ctx: QueryCtx,
  rolloutId: Id<"modelRollouts">,
): Promise<Id<"modelRolloutDevices">[]> {
  const rows = await ctx.db
    .query("modelRolloutDevices")
    .withIndex("by_recount", (q) => q.eq("rolloutId", rolloutId).eq("recount", true))
    .take(perBatch);
  return rows.map(({ _id }) => _id);
}

type Counted = NonNullable<Doc<"modelRolloutDevices">["counted"]>;

/** Counts devices by their present state, in place of the one that they were counted by. */
export async function countRows(
  ctx: MutationCtx,
  rolloutId: Id<"modelRollouts">,
  rowIds: readonly Id<"modelRolloutDevices">[],
  now: number,
): Promise<void> {
  const rollout = await ctx.db.get("modelRollouts", rolloutId);
  if (rollout === null || rollout.state === "planning") return;
  const found = await countsOf(ctx, rolloutId);
  const byStage = rollout.stages.map((_, at) => ({ ...(found?.byStage[at] ?? noDevices) }));
  const reasons = new Map((found?.reasons ?? []).map(({ why, devices }) => [why, devices]));
  const add = ({ stage, state, why }: Counted, by: 1 | -1): void => {
    const counts = byStage[stage];
    if (counts === undefined || state === "none" || state === "waiting") return;
    counts[state] += by;
    if (state === "failed") reasons.set(why ?? "", (reasons.get(why ?? "") ?? 0) + by);
  };
  for (const rowId of rowIds) {
    const row = await ctx.db.get("modelRolloutDevices", rowId);
    if (row?.rolloutId !== rolloutId || !row.recount) continue;
    const { rank, state, why } = row;
    const stage = rollout.stages.findIndex(({ upTo }) => rank <= upTo);
    const counted = { stage, state, ...(why === undefined ? {} : { why }) };
    if (row.counted !== undefined) add(row.counted, -1);
    add(counted, 1);
    await ctx.db.patch("modelRolloutDevices", rowId, { counted, recount: false });
  }
  const next = {
    byStage,
    reasons: [...reasons]
      .flatMap(([why, devices]) => (devices > 0 ? [{ why, devices }] : []))
      .sort((a, b) => b.devices - a.devices)
      .slice(0, maxReasons),
    countedAt: now,
  };
  const { organizationId } = rollout;
  if (found === null) await ctx.db.insert("modelRolloutCounts", { organizationId, rolloutId, ...next });
  else await ctx.db.patch("modelRolloutCounts", found._id, next);
}

/** Lets a running roll-out go on, finish, or stop, as its counts say. */
export async function decideNext(
  ctx: MutationCtx,
  rolloutId: Id<"modelRollouts">,
  now: number,
): Promise<void> {
  const rollout = await ctx.db.get("modelRollouts", rolloutId);
  if (rollout?.state !== "running") return;
  const model = await findModel(ctx, rollout.organizationId, rollout.modelId);
  if (model?.enabled !== true) return;
  const { stage } = rollout;
  const counts = countsUpTo((await countsOf(ctx, rolloutId))?.byStage ?? [], stage);
  if (counts.failed < rollout.accepted) {
    // Failures that a person accepted are over. The next ones are new.
    await ctx.db.patch("modelRollouts", rolloutId, { accepted: counts.failed });
  }
  const accepted = Math.min(rollout.accepted, counts.failed);
  const step = nextStep({ ...rollout, accepted }, counts, now);
  if (step.kind === "advance") {
    await move(ctx, rollout, { state: "running", stage: step.to }, "model-rollout.advanced", now);
  } else if (step.kind === "finish") {
    await move(ctx, rollout, { state: "done", stage }, "model-rollout.finished", now);
    await ctx.scheduler.runAfter(0, internal.rollouts.forgetDevices, { rolloutId });
  } else if (step.kind === "stop") {
    const why = `${String(step.failed)} of ${String(step.of)} devices failed`;
    await move(ctx, rollout, { state: "stopped", stage }, "model-rollout.stopped", now, why);
  }
}

async function move(
  ctx: MutationCtx,
  rollout: Doc<"modelRollouts">,
  to: RolloutPlace,
  action: "model-rollout.advanced" | "model-rollout.finished" | "model-rollout.stopped",
  at: number,
  why?: string,
): Promise<void> {
  const { _id: rolloutId, organizationId, modelId, stages } = rollout;
  await ctx.db.patch("modelRollouts", rolloutId, {
    ...to,
    stageAt: at,
    why,
    previous: undefined,
    isOpen: to.state !== "done",
  });
  const places = `${placeWords(rollout, stages)} → ${placeWords(to, stages)}`;
  await record(ctx, {
    organizationId,
    at,
    actor: "system",
    action,
    subject: modelId,
    detail: why === undefined ? places : `${places}: ${why}`,
  });
}

/** Deletes devices of a roll-out that is done. Returns whether there may be more. */
export async function forgetSomeDevices(ctx: MutationCtx, rolloutId: Id<"modelRollouts">): Promise<boolean> {
  const rollout = await ctx.db.get("modelRollouts", rolloutId);
  if (rollout?.isOpen === true) return false;
  const rows = await ctx.db
    .query("modelRolloutDevices")
    .withIndex("by_device", (q) => q.eq("rolloutId", rolloutId))
    .take(perBatch);
  for (const { _id } of rows) await ctx.db.delete("modelRolloutDevices", _id);
  return rows.length === perBatch;
}
