import { confidenceOf, withVote } from "../../../app/votes/confidence.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";

/**
 * Counts a vote among those of the model. @returns how likely one more answer would agree with the largest group, as the earlier votes
 * of the model and this one tell: 0 to 1.
 * @param groups how many answers each group has, the largest first.
 */
export async function noteVote(
  ctx: MutationCtx,
  { organizationId }: Doc<"apiKeys">,
  modelId: string,
  groups: readonly number[],
): Promise<number> {
  const row = await ctx.db
    .query("voteTallies")
    .withIndex("by_model", (q) => q.eq("organizationId", organizationId).eq("modelId", modelId))
    .unique();
  const before = row?.tally ?? {};
  const tally = withVote(before, groups);
  if (row === null) await ctx.db.insert("voteTallies", { organizationId, modelId, tally });
  else if (tally !== before) await ctx.db.patch("voteTallies", row._id, { tally });
  return confidenceOf(groups, before);
}
