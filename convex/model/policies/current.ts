import { overrideRules } from "../../../app/policy/rule-layers.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";

/** The rules of the whole organization, as a group is named. */
export const everybody = "";

/** Groups that can have rules of their own. */
export const maxGroups = 50;

export type StoredRules = Doc<"policies">["rules"];

/** The version that is in force; null where nobody set anything yet. */
export async function currentPolicy(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  group: string,
): Promise<Doc<"policies"> | null> {
  return await ctx.db
    .query("policies")
    .withIndex("by_group", (q) => q.eq("organizationId", organizationId).eq("group", group))
    .order("desc")
    .first();
}

/** The groups with rules of their own, in the order of the alphabet. */
export async function groupsWithPolicies(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<string[]> {
  const groups: string[] = [];
  while (groups.length < maxGroups) {
    const next = await ctx.db
      .query("policies")
      .withIndex("by_group", (q) =>
        q.eq("organizationId", organizationId).gt("group", groups.at(-1) ?? everybody),
      )
      .first();
    if (next === null) break;
    groups.push(next.group);
  }
  return groups;
}

/**
 * What holds on a device: its groups' rules, and the organization's where they say nothing. What a group says of a rule
 * is its value and its lock together. Of two groups that speak of one rule, the first in the alphabet decides.
 */
export async function policyFor(ctx: QueryCtx, device: Doc<"devices">): Promise<StoredRules> {
  const { organizationId, groups = [] } = device;
  const layers = await Promise.all(
    [...[...groups].sort(), everybody].map(
      async (group) => (await currentPolicy(ctx, organizationId, group))?.rules ?? { values: {}, locked: [] },
    ),
  );
  return layers.reduceRight<StoredRules>(overrideRules, { values: {}, locked: [] });
}
