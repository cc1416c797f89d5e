import { v } from "convex/values";
import { dataClassesOf, setDataClasses } from "../../model/keys/dataClasses.ts";
import { memberMutation, memberQuery } from "../../model/memberCalls.ts";
import { asMutable } from "../../model/mutable.ts";
import { dataClassRule } from "../../model/validators/keys.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const classes = v.array(dataClassRule);

/** The rules for classes of data, from the least to the most sensitive class. */
export const list = memberQuery("policy.read")({
  args: {},
  returns: classes,
  handler: async (ctx) => asMutable(await dataClassesOf(ctx, ctx.organizationId)),
});

/** Replaces the rules. Returns those before, for an undo. Only owners may, since it says who may look. Refuses: invalid. */
export const set = memberMutation("payloads.change")({
  args: { classes },
  returns: classes,
  handler: async (ctx, { classes: given }) =>
    asMutable(await setDataClasses(ctx, ctx.organizationId, given, ctx.by)),
});
