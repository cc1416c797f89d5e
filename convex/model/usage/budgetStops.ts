import { monthOf } from "../../../app/usage/months.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import type { Refusal } from "../refuse.ts";

export async function budgetOf(
  ctx: QueryCtx,
  subject: Doc<"budgets">["subject"],
): Promise<Doc<"budgets"> | null> {
  return await ctx.db
    .query("budgets")
    .withIndex("by_subject", (q) => q.eq("subject", subject))
    .unique();
}

/**
 * Why a key may submit no job before the next month (UTC): its budget, or that of its owner, is used up and stops. Null if it may.
 * A budget is watched once a minute, so it stops a minute or two after the job that used it up.
 */
export async function stoppedBy(ctx: QueryCtx, key: Doc<"apiKeys">, now: number): Promise<Refusal | null> {
  const subjects = [key._id, ...(key.owner === undefined ? [] : [key.owner])];
  const budgets = await Promise.all(subjects.map((subject) => budgetOf(ctx, subject)));
  const month = monthOf(now);
  const isUsedUp = budgets.map(
    (budget) => budget?.stops === true && budget.warned?.month === month && budget.warned.state === "over",
  );
  if (!isUsedUp.includes(true)) return null;
  const whose = isUsedUp[0] === true ? "this API key" : "the owner of this API key";
  return {
    code: "quota_exceeded",
    message: `The budget of ${whose} for this month is used up. An administrator can raise it.`,
    retryAfterMs: monthOf(now, 1) - now,
  };
}
