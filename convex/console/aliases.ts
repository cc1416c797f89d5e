import { v } from "convex/values";
import { memberMutation, memberQuery } from "../model/memberCalls.ts";
import {
  aliasesOf,
  aliasRow,
  aliasUser,
  removeAlias,
  setAlias,
  usersOfAlias,
} from "../model/models/aliases.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The names that stand for models, by name. `default` is for requests that name no model. */
export const list = memberQuery("models.read")({
  args: {},
  returns: v.array(aliasRow),
  handler: async (ctx) => await aliasesOf(ctx, ctx.organizationId),
});

/** The keys whose requests used an alias: a change of it changes their answers. At most 100, the last ones first. */
export const users = memberQuery("models.change")({
  args: { alias: v.string() },
  returns: v.array(aliasUser),
  handler: async (ctx, { alias }) => await usersOfAlias(ctx, ctx.organizationId, alias),
});

/**
 * Makes an alias stand for a model, whether the alias is new or not. Returns the model before, null for a new alias. Refuses:
 * invalid, not_found (the model), conflict (a model has this name, the model is retired, or there are too many aliases).
 */
export const set = memberMutation("models.change")({
  args: { alias: v.string(), modelId: v.string() },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, wanted) => await setAlias(ctx, ctx.organizationId, wanted, ctx.by),
});

/** Removes an alias. Returns its model, so that it can be set again. Refuses: not_found. */
export const remove = memberMutation("models.change")({
  args: { alias: v.string() },
  returns: v.string(),
  handler: async (ctx, { alias }) => await removeAlias(ctx, ctx.organizationId, alias, ctx.by),
});
