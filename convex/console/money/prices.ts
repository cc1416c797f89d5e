import { v } from "convex/values";
import { memberMutation, memberQuery } from "../../model/memberCalls.ts";
import { factorsAt } from "../../model/models/prices.ts";
import {
  cancelVersion,
  priceVersionRow,
  schedulePrice,
  versionsOf,
} from "../../model/models/priceVersions.ts";
import { price, priceFactors } from "../../model/validators/prices.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The history of prices: the last 200 versions, the newest first, with those that will begin. */
export const history = memberQuery("models.read")({
  args: {},
  returns: v.array(priceVersionRow),
  handler: async (ctx) => await versionsOf(ctx, ctx.organizationId),
});

/** The percents that jobs cost at a moment (ms epoch), by priority, kind, data class and hour. */
export const factors = memberQuery("models.read")({
  args: { at: v.number() },
  returns: priceFactors,
  handler: async (ctx, { at }) => (await factorsAt(ctx, ctx.organizationId, at)).value,
});

const start = { from: v.union(v.number(), v.null()), why: v.union(v.string(), v.null()) };

/**
 * Gives a model a price, from a moment on (ms epoch) or from now on (null).
 * @returns the number of the version. `cancel` undoes it before it begins. Refuses: invalid, conflict, not_found.
 */
export const ofModel = memberMutation("money.change")({
  args: { modelId: v.string(), price, ...start },
  returns: v.number(),
  handler: async (ctx, { modelId, price: wanted, from, why }) => {
    const ofOne = { kind: "model", modelId, price: wanted } as const;
    return await schedulePrice(ctx, ctx.organizationId, ofOne, { from, why }, ctx.by);
  },
});

/** Sets the percents in the same way. Refuses: invalid, conflict. */
export const ofAll = memberMutation("money.change")({
  args: { factors: priceFactors, ...start },
  returns: v.number(),
  handler: async (ctx, { factors: wanted, from, why }) => {
    const ofOne = { kind: "factors", factors: wanted } as const;
    return await schedulePrice(ctx, ctx.organizationId, ofOne, { from, why }, ctx.by);
  },
});

/** Cancels a version that has not begun. Refuses: not_found, conflict. */
export const cancel = memberMutation("money.change")({
  args: { version: v.number() },
  returns: v.null(),
  handler: async (ctx, { version }) => {
    await cancelVersion(ctx, ctx.organizationId, version, ctx.by);
    return null;
  },
});
