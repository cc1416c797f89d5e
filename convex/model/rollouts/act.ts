import type { Infer } from "convex/values";
import type { AuditAction } from "../../../app/audit.ts";
import { afterAct, isEnded, placeWords, type RolloutAct } from "../../../app/models/rollout/acts.ts";
import { countsUpTo } from "../../../app/models/rollout/next-step.ts";
import { mistakeInPace, mistakeInSizes, sizesText } from "../../../app/models/rollout/stages.ts";
import { internal } from "../../_generated/api.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { refuse } from "../refuse.ts";
import type { rolloutPace, stageSize } from "../validators/models.ts";
import { countsOf, maxOpen, openRollouts, rolloutOf } from "./find.ts";

type Wanted = {
  readonly sizes: readonly Infer<typeof stageSize>[];
  readonly pace: Infer<typeof rolloutPace>;
};

/**
 * Starts a roll-out of a model in stages, in place of one that was stopped or rolled back. @param isNew the model was added right
 * now. Refuses: invalid, conflict (the model is retired or is being rolled out already, or too many are).
 */
export async function startRollout(
  ctx: MutationCtx,
  { organizationId, modelId, enabled }: Doc<"models">,
  { sizes, pace }: Wanted,
  isNew: boolean,
  by: Act,
): Promise<void> {
  const mistake = mistakeInSizes(sizes) ?? mistakeInPace(pace);
  if (mistake !== null) refuse("invalid", mistake);
  if (!enabled) refuse("conflict", `${modelId} is retired. Reinstate it first.`);
  const last = await rolloutOf(ctx, organizationId, modelId);
  const isReplaced = last?.isOpen === true && isEnded(last.state);
  if (last?.isOpen === true && !isReplaced) refuse("conflict", `${modelId} is being rolled out already.`);
  const others = (await openRollouts(ctx, organizationId)).filter(({ _id }) => _id !== last?._id);
  if (others.length >= maxOpen) {
    refuse("conflict", `At most ${String(maxOpen)} models can be rolled out in stages at once.`);
  }
  if (last !== null) await forget(ctx, last);
  const rolloutId = await ctx.db.insert("modelRollouts", {
    organizationId,
    modelId,
    // Nobody had the model before a first roll-out that did not end well.
    isNew: isNew || (isReplaced && last.isNew),
    state: "planning",
    stages: sizes.map((size) => ({ size, upTo: 1, devices: 0, expected: 0 })),
    stage: 0,
    stageAt: by.at,
    pace,
    isOpen: true,
    accepted: 0,
    startedAt: by.at,
  });
  await ctx.scheduler.runAfter(0, internal.rollouts.plan, { rolloutId });
  await record(ctx, {
    organizationId,
    ...by,
    action: "model-rollout.started",
    subject: modelId,
    detail: `all devices at once → in stages: ${sizesText(sizes)}`,
  });
}

/** Deletes a roll-out that is done or replaced. Its devices are deleted a little later. */
async function forget(ctx: MutationCtx, { _id: rolloutId }: Doc<"modelRollouts">): Promise<void> {
  const counts = await countsOf(ctx, rolloutId);
  if (counts !== null) await ctx.db.delete("modelRolloutCounts", counts._id);
  await ctx.db.delete("modelRollouts", rolloutId);
  await ctx.scheduler.runAfter(0, internal.rollouts.forgetDevices, { rolloutId });
}

const actions = {
  advance: "model-rollout.advanced",
  release: "model-rollout.released",
  pause: "model-rollout.paused",
  continue: "model-rollout.continued",
  stop: "model-rollout.stopped",
  "roll-back": "model-rollout.rolled-back",
  undo: "model-rollout.undone",
} as const satisfies Readonly<Record<RolloutAct, AuditAction>>;

/**
 * A retired model is offered to nobody, so its roll-out rests. Once the model is reinstated, the roll-out goes on from where it
 * was. Refuses: conflict (too many others).
 */
export async function restRollout(
  ctx: MutationCtx,
  { organizationId, modelId, enabled }: Pick<Doc<"models">, "organizationId" | "modelId" | "enabled">,
): Promise<void> {
  const rollout = await rolloutOf(ctx, organizationId, modelId);
  if (rollout === null || rollout.state === "done" || rollout.isOpen === enabled) return;
  if (enabled && (await openRollouts(ctx, organizationId)).length >= maxOpen) {
    refuse("conflict", `At most ${String(maxOpen)} models can be rolled out in stages at once.`);
  }
  await ctx.db.patch("modelRollouts", rollout._id, { isOpen: enabled });
}

/** Changes a roll-out as a person wants. Refuses: conflict (not in its present state). */
export async function changeRollout(
  ctx: MutationCtx,
  rollout: Doc<"modelRollouts">,
  act: RolloutAct,
  by: Act,
): Promise<void> {
  const next = afterAct(rollout, act);
  if (next === null || !rollout.isOpen) {
    const now = placeWords(rollout, rollout.stages);
    return refuse("conflict", `The roll-out of ${rollout.modelId} is ${now}, so this is not possible now.`);
  }
  const { _id: rolloutId, state, stage, stages } = rollout;
  const counts = await countsOf(ctx, rolloutId);
  // A person who continues a roll-out accepts the failures so far.
  const failed = countsUpTo(counts?.byStage ?? [], next.stage).failed;
  await ctx.db.patch("modelRollouts", rolloutId, {
    ...next,
    stageAt: by.at,
    why: undefined,
    previous: act === "undo" || next.state === "done" ? undefined : { state, stage },
    ...(next.state === "running" ? { accepted: failed } : {}),
    isOpen: next.state !== "done",
  });
  if (next.state === "done") await ctx.scheduler.runAfter(0, internal.rollouts.forgetDevices, { rolloutId });
  await record(ctx, {
    organizationId: rollout.organizationId,
    ...by,
    action: actions[act],
    subject: rollout.modelId,
    detail: `${placeWords(rollout, stages)} → ${placeWords(next, stages)}`,
  });
}
