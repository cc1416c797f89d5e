import { v } from "convex/values";
import { actorWordsOf } from "../model/audit.ts";
import { memberMutation, memberQuery } from "../model/memberCalls.ts";
import { currentPolicy, groupsWithPolicies } from "../model/policies/current.ts";
import { openPreview, previewView, previewViewOf } from "../model/policies/preview.ts";
import { checkedDraft, restoreChanges, restorePolicy, savePolicy } from "../model/policies/save.ts";
import { policyRules } from "../model/validators/devices.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** As many as are stored. */
const shownVersions = 30;

const versionView = v.object({
  version: v.number(),
  at: v.number(),
  /** The author's name. */
  by: v.string(),
  changes: v.array(v.string()),
  /** Why, in the author's words; null if they gave no reason. */
  reason: v.union(v.string(), v.null()),
});

/**
 * The rules in force for the organization (`group` "") or for a group of devices, and earlier versions. `version` 0:
 * nobody has set rules yet.
 */
export const get = memberQuery("policy.read")({
  args: { group: v.string() },
  returns: v.object({ version: v.number(), rules: policyRules, versions: v.array(versionView) }),
  handler: async (ctx, { group }) => {
    const { organizationId } = ctx;
    const rows = await ctx.db
      .query("policies")
      .withIndex("by_group", (q) => q.eq("organizationId", organizationId).eq("group", group))
      .order("desc")
      .take(shownVersions);
    return {
      version: rows[0]?.version ?? 0,
      rules: rows[0]?.rules ?? { values: {}, locked: [] },
      versions: await Promise.all(
        rows.map(async ({ version, at, actor, changes, reason = null }) => {
          return { version, at, by: await actorWordsOf(ctx, organizationId, actor), changes, reason };
        }),
      ),
    };
  },
});

/** The groups of devices that have rules of their own, with the number of their rules. */
export const groups = memberQuery("policy.read")({
  args: {},
  returns: v.array(v.object({ group: v.string(), rules: v.number() })),
  handler: async (ctx) => {
    const { organizationId } = ctx;
    const named = await groupsWithPolicies(ctx, organizationId);
    return await Promise.all(
      named.map(async (group) => {
        const rules = (await currentPolicy(ctx, organizationId, group))?.rules ?? { values: {}, locked: [] };
        return { group, rules: new Set([...Object.keys(rules.values), ...rules.locked]).size };
      }),
    );
  },
});

/**
 * Puts rules in force. `rules` are all of them: a rule that is left out has the devices' default or, for a group, the
 * organization's value. `baseVersion`: the version that was edited. Refuses: unauthorized, invalid, conflict.
 */
export const save = memberMutation("policy.change")({
  args: {
    group: v.string(),
    baseVersion: v.number(),
    rules: policyRules,
    /** Why, for the history. */
    reason: v.optional(v.string()),
  },
  returns: v.object({ version: v.number() }),
  handler: async (ctx, { rules, ...target }) => {
    const { organizationId, by } = ctx;
    return await savePolicy(ctx, { organizationId, ...target }, rules, by);
  },
});

/** The changes that a restored version would make now, in words. Version 0: no rules. Refuses: not_found. */
export const restorePreview = memberQuery("policy.read")({
  args: { group: v.string(), version: v.number() },
  returns: v.array(v.string()),
  handler: async (ctx, { group, version }) => {
    const { organizationId } = ctx;
    return [...(await restoreChanges(ctx, { organizationId, group }, version))];
  },
});

/** Puts an earlier version in force again, as a new version. Refuses: unauthorized, not_found, conflict. */
export const restore = memberMutation("policy.change")({
  args: {
    group: v.string(),
    baseVersion: v.number(),
    version: v.number(),
    reason: v.optional(v.string()),
  },
  returns: v.object({ version: v.number() }),
  handler: async (ctx, { version, ...target }) => {
    const { organizationId, by } = ctx;
    return await restorePolicy(ctx, { organizationId, ...target }, version, by);
  },
});

/**
 * Asks the devices of a group to replay rules, or an earlier version of them, against their own last days. It takes the place
 * of the member's last preview. Refuses: invalid, not_found, rate_limited.
 */
export const startPreview = memberMutation("policy.change")({
  args: {
    group: v.string(),
    draft: v.union(v.object({ rules: policyRules }), v.object({ version: v.number() })),
  },
  returns: v.object({ previewId: v.id("policyPreviews") }),
  handler: async (ctx, { group, draft }) => {
    const rules = await checkedDraft(ctx, { organizationId: ctx.organizationId, group }, draft);
    return { previewId: await openPreview(ctx, ctx.member, { group, rules }, ctx.at) };
  },
});

/** The member's last preview: how many devices answered, and the sums of their answers. */
export const preview = memberQuery("policy.change")({
  args: {},
  returns: v.union(previewView, v.null()),
  handler: async (ctx) => await previewViewOf(ctx, ctx.member._id),
});
