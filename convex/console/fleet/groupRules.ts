import { v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { addRule, changeRule, orderRules, removeRule } from "../../model/fleet/groupRules/change.ts";
import { releaseToRules } from "../../model/fleet/groupRules/place.ts";
import { previewPage, rulePreview } from "../../model/fleet/groupRules/preview.ts";
import { ruleDraft, ruleRow, ruleView } from "../../model/fleet/groupRules/rows.ts";
import { rulesOf } from "../../model/fleet/placement.ts";
import { type MemberCtx, memberMutation, memberQuery, ownDevice } from "../../model/memberCalls.ts";
import { owned } from "../../model/refuse.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The rules that put devices into groups, in their order. At most 50; none for those who see only their own devices. */
export const list = memberQuery("devices.read")({
  args: {},
  returns: v.array(ruleRow),
  handler: async (ctx) => {
    if (ctx.scope !== "all") return [];
    const rules = await rulesOf(ctx, ctx.organizationId);
    return await Promise.all(rules.map((rule) => ruleView(ctx, rule)));
  },
});

/**
 * Counts the effect of a new, changed or removed rule (`draft` null) on the next 200 devices. Call it until `next` is null, and
 * add up.
 * Refuses: invalid, not_found.
 */
export const preview = memberQuery("devices.change")({
  args: {
    ruleId: v.union(v.id("groupRules"), v.null()),
    draft: v.union(v.object(ruleDraft), v.null()),
    cursor: v.union(v.string(), v.null()),
  },
  returns: rulePreview,
  handler: async (ctx, { cursor, ...wanted }) => await previewPage(ctx, ctx.organizationId, wanted, cursor),
});

/** Adds a rule; `at`: its place in the order, the last one by default. Refuses: invalid, not_found (its owner), conflict. */
export const add = memberMutation("devices.change")({
  args: { ...ruleDraft, at: v.optional(v.number()) },
  returns: v.id("groupRules"),
  handler: async (ctx, { at, ...draft }) => await addRule(ctx, ctx.organizationId, { draft, at }, ctx.by),
});

/** Changes a rule. Returns it as it was. Refuses: not_found, invalid. */
export const change = memberMutation("devices.change")({
  args: { ruleId: v.id("groupRules"), ...ruleDraft },
  returns: v.object(ruleDraft),
  handler: async (ctx, { ruleId, ...draft }) =>
    await changeRule(ctx, await ownRule(ctx, ruleId), draft, ctx.by),
});

/** Removes a rule: its devices leave the group. Returns its place in the order. Refuses: not_found. */
export const remove = memberMutation("devices.change")({
  args: { ruleId: v.id("groupRules") },
  returns: v.number(),
  handler: async (ctx, { ruleId }) => await removeRule(ctx, await ownRule(ctx, ruleId), ctx.by),
});

/** Puts all rules into an order: the first rule that a device fits places it. Refuses: conflict. */
export const order = memberMutation("devices.change")({
  args: { ruleIds: v.array(v.id("groupRules")) },
  returns: v.null(),
  handler: async (ctx, { ruleIds }) => {
    await orderRules(ctx, ctx.organizationId, ruleIds, ctx.by);
    return null;
  },
});

/** Lets the rules place a device that a person put into its groups. Refuses: not_found. */
export const release = memberMutation("devices.change")({
  args: { deviceId: v.id("devices") },
  returns: v.null(),
  handler: async (ctx, { deviceId }) => {
    await releaseToRules(ctx, await ownDevice(ctx, deviceId), ctx.by);
    return null;
  },
});

async function ownRule(ctx: QueryCtx & MemberCtx, ruleId: Id<"groupRules">): Promise<Doc<"groupRules">> {
  return owned(await ctx.db.get("groupRules", ruleId), ctx.organizationId, "rule");
}
