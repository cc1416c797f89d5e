import { asksForSecondFactor, type SecondFactorRule } from "../../../app/people/second-factor.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { refuse } from "../refuse.ts";

/** The organization's rule for second factors. */
export async function secondFactorRuleOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<SecondFactorRule> {
  return (await ctx.db.get("organizations", organizationId))?.secondFactor ?? "optional";
}

export async function setSecondFactorRule(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  rule: SecondFactorRule,
  by: Act,
): Promise<void> {
  const before = await secondFactorRuleOf(ctx, organizationId);
  if (before === rule) return;
  await ctx.db.patch("organizations", organizationId, { secondFactor: rule });
  const what = { action: "organization.second-factor-changed", subject: organizationId } as const;
  await record(ctx, { organizationId, ...by, ...what, detail: `${before} → ${rule}` });
}

/** Whether a session lacks the second factor that its organization asks for. */
export async function lacksSecondFactor(
  ctx: QueryCtx,
  { organizationId, method, secondFactorAt }: Doc<"sessions">,
): Promise<boolean> {
  if (secondFactorAt !== undefined) return false;
  return asksForSecondFactor(await secondFactorRuleOf(ctx, organizationId), method === "single-sign-on");
}

/**
 * Refuses (second_factor_needed) to set up another second factor in a session that lacks the one that its member has. Else a
 * stolen password would be enough.
 */
export async function checkMaySetUp(ctx: QueryCtx, session: Doc<"sessions">, has: boolean): Promise<void> {
  if (!has || !(await lacksSecondFactor(ctx, session))) return;
  refuse("second_factor_needed", "Confirm with the second factor that you have.");
}

/** Refuses (second_factor_needed) a session that lacks it. */
export async function checkSecondFactor(ctx: QueryCtx, session: Doc<"sessions">): Promise<void> {
  if (!(await lacksSecondFactor(ctx, session))) return;
  refuse("second_factor_needed", "Your organization asks for a second factor. Set one up first.");
}
