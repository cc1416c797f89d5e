import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { memberMutation, memberQuery, visibleOwners } from "../model/memberCalls.ts";
import { findModel } from "../model/models/catalog.ts";
import { refuse } from "../model/refuse.ts";
import { changeRollout, startRollout } from "../model/rollouts/act.ts";
import { rolloutOf } from "../model/rollouts/find.ts";
import { failedDevice, failedDevices, rolloutRow, rolloutRows } from "../model/rollouts/view.ts";
import { rolloutAct, rolloutPace, stageSize } from "../model/validators/models.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The roll-outs in stages that are not done. */
export const list = memberQuery("models.read")({
  args: {},
  returns: v.array(rolloutRow),
  handler: async (ctx) => await rolloutRows(ctx, ctx.organizationId),
});

/** The devices on which a model failed during its roll-out and that the member may see, at most 50 a page. Refuses: not_found. */
export const failures = memberQuery("devices.read")({
  args: { modelId: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(failedDevice),
  handler: async (ctx, { modelId, paginationOpts }) => {
    const rollout = await rolloutOf(ctx, ctx.organizationId, modelId);
    return await failedDevices(ctx, rollout ?? noRollout(), visibleOwners(ctx), paginationOpts);
  },
});

/** Rolls out a model of the catalog in stages. Devices that have it keep it. Refuses: not_found, invalid, conflict. */
export const start = memberMutation("models.change")({
  args: { modelId: v.string(), sizes: v.array(stageSize), pace: rolloutPace },
  returns: v.null(),
  handler: async (ctx, { modelId, ...wanted }) => {
    const model = await findModel(ctx, ctx.organizationId, modelId);
    if (model === null) return refuse("not_found", "There is no such model.");
    await startRollout(ctx, model, wanted, false, ctx.by);
    return null;
  },
});

/**
 * Advances, pauses, continues, stops or rolls back a roll-out, or undoes the last such act. Returns its moment (ms epoch), by
 * which an undo names it. @param of undoes only the act of this moment. Refuses: not_found, conflict.
 */
export const change = memberMutation("models.change")({
  args: { modelId: v.string(), act: rolloutAct, of: v.optional(v.number()) },
  returns: v.number(),
  handler: async (ctx, { modelId, act, of }) => {
    const rollout = (await rolloutOf(ctx, ctx.organizationId, modelId)) ?? noRollout();
    if (of !== undefined && of !== rollout.stageAt) {
      refuse("conflict", "The roll-out has changed since, so this cannot be undone.");
    }
    await changeRollout(ctx, rollout, act, ctx.by);
    return ctx.by.at;
  },
});

function noRollout(): never {
  return refuse("not_found", "This model is not being rolled out in stages.");
}
