import { type Infer, v } from "convex/values";
import { type PlacingRule, previewOf } from "../../../../app/devices/placement.ts";
import { visibleText } from "../../../../app/format/visible.ts";
import type { Id } from "../../../_generated/dataModel.js";
import type { QueryCtx } from "../../../_generated/server.js";
import { refuse } from "../../refuse.ts";
import { rulesOf } from "../placement.ts";
import { checkedRule } from "./change.ts";
import type { RuleDraft } from "./rows.ts";

/** With the rules and the owner of the draft this is below 300 documents. */
const pageSize = 200;

export const rulePreview = v.object({
  moves: v.number(),
  same: v.number(),
  byHand: v.number(),
  earlier: v.number(),
  names: v.array(v.string()),
  /** The cursor of the next devices; null at the end. */
  next: v.union(v.string(), v.null()),
});

export type Draft = {
  /** The rule that changes; null for a new one. */
  readonly ruleId: Id<"groupRules"> | null;
  /** Null: the rule is removed. */
  readonly draft: RuleDraft | null;
};

/** Counts the effect of a change of a rule on the next devices. Refuses: invalid, not_found. */
export async function previewPage(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  { ruleId, draft }: Draft,
  cursor: string | null,
): Promise<Infer<typeof rulePreview>> {
  const rules: readonly PlacingRule[] = await rulesOf(ctx, organizationId);
  if (ruleId !== null && !rules.some(({ _id }) => _id === ruleId))
    refuse("not_found", "There is no such rule.");
  const changed: PlacingRule | null =
    draft === null ? null : { ...(await checkedRule(ctx, organizationId, draft)), _id: ruleId ?? "new" };
  const after =
    ruleId === null
      ? [...rules, ...(changed === null ? [] : [changed])]
      : rules.flatMap((rule) => (rule._id === ruleId ? (changed ?? []) : rule));
  const { page, isDone, continueCursor } = await ctx.db
    .query("deviceListings")
    .withIndex("by_name", (q) => q.eq("organizationId", organizationId))
    .paginate({ cursor, numItems: pageSize });
  const { names, ...counts } = previewOf(page, after, changed);
  return { ...counts, names: names.map(visibleText), next: isDone ? null : continueCursor };
}
