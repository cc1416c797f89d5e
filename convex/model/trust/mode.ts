import { type CheckMode, checkModeWords, usualCheckMode } from "../../../app/trust/check-mode.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { noRules, rulesRow } from "../credits/houseRules.ts";

/** The mode in an organization's house rules, which the pay of each answer reads anyway. */
export function modeIn(rules: Pick<Doc<"houseRules">, "checks"> | null): CheckMode {
  return rules?.checks ?? usualCheckMode;
}

export async function modeOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<CheckMode> {
  return modeIn(await rulesRow(ctx, organizationId));
}

/** Stores choices about checks in an organization's house rules. */
export async function patchRules(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  changes: Partial<Pick<Doc<"houseRules">, "checks" | "canaries" | "canaryKey">>,
  at: number,
): Promise<void> {
  const row = await rulesRow(ctx, organizationId);
  if (row === null)
    await ctx.db.insert("houseRules", { organizationId, ...noRules, expireSetAt: at, ...changes });
  else await ctx.db.patch("houseRules", row._id, changes);
}

/** Changes what the organization does with checks. Without "act" all held pay is released soon. */
export async function setMode(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  mode: CheckMode,
  by: Act,
): Promise<void> {
  const before = await modeOf(ctx, organizationId);
  if (before === mode) return;
  await patchRules(ctx, organizationId, { checks: mode }, by.at);
  if (before === "act") await ctx.scheduler.runAfter(0, internal.trust.checks.releaseAll, { organizationId });
  await record(ctx, {
    organizationId,
    ...by,
    action: "checks.mode-changed",
    subject: organizationId,
    detail: `${checkModeWords[before]} → ${checkModeWords[mode]}`,
  });
}
