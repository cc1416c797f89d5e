import { overrideRules } from "../../../app/policy/rule-layers.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";

/** The group name that means the whole organization. */
export const everybody = "";

/** Bounds the groups that have rules of their own. */
export const maxGroups = 50;

export type StoredRules = Doc<"policies">["rules"];

/** The version in force; null if nobody has set rules yet. */
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

/** The versions of the rules that a device has: of each of its groups with rules, and of everybody. */
export async function policyVersions(
  ctx: QueryCtx,
  { organizationId, groups = [] }: Doc<"devices">,
): Promise<{ group: string; version: number }[]> {
  const found = await Promise.all(
    [...[...groups].sort(), everybody].map(async (group) => await currentPolicy(ctx, organizationId, group)),
  );
  return found.flatMap((policy) =>
    policy === null ? [] : [{ group: policy.group, version: policy.version }],
  );
}

/** The groups with rules of their own, in alphabetical order. */
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
 * The rules for a device: its groups' rules, then the organization's. A group sets a rule's value and its lock together.
 * If two groups set one rule, the first group in the alphabet decides.
 */
export async function policyFor(ctx: QueryCtx, device: Doc<"devices">): Promise<StoredRules> {
  return await policyUnder(ctx, device, null);
}

/** The same with a draft in place of a group's rules. */
export async function policyUnder(
  ctx: QueryCtx,
  { organizationId, groups = [] }: Doc<"devices">,
  draft: { readonly group: string; readonly rules: StoredRules } | null,
): Promise<StoredRules> {
  const layers = await Promise.all(
    [...[...groups].sort(), everybody].map(async (group) => {
      if (group === draft?.group) return draft.rules;
      return (await currentPolicy(ctx, organizationId, group))?.rules ?? { values: {}, locked: [] };
    }),
  );
  return layers.reduceRight<StoredRules>(overrideRules, { values: {}, locked: [] });
}
