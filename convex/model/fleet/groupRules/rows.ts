import { type Infer, type ObjectType, v } from "convex/values";
import type { Doc } from "../../../_generated/dataModel.js";
import type { QueryCtx } from "../../../_generated/server.js";
import { ownerName, ownerView } from "../../owners.ts";
import { ruleFilters } from "../../validators/fleet.ts";

/** A rule as a member writes it. */
export const ruleDraft = { group: v.string(), filter: v.object(ruleFilters) };
export type RuleDraft = ObjectType<typeof ruleDraft>;

/** `owner`: the one that the rule asks for. */
export const ruleRow = v.object({ ruleId: v.id("groupRules"), ...ruleDraft, owner: ownerName });

export async function ruleView(
  ctx: QueryCtx,
  { _id: ruleId, group, filter }: Doc<"groupRules">,
): Promise<Infer<typeof ruleRow>> {
  return { ruleId, group, filter, owner: await ownerView(ctx, filter.owner) };
}
