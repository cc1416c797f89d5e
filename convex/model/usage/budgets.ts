import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { changesText } from "../../../app/audit/changes.ts";
import { visibleText } from "../../../app/format/visible.ts";
import { formatExactCredits, microPerCredit } from "../../../app/money/credits.ts";
import { budgetState } from "../../../app/usage/budget.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { owned, refuse } from "../refuse.ts";
import { budgetSubject } from "../validators/statistics.ts";
import { budgetOf, endBudgetPortions } from "./budgetStops.ts";
import { forecastFor, spentThisMonth } from "./months.ts";

/** Each is shown with two months of its subject and a name, and a query reads some 300 rows. */
const mostBudgets = 60;
const mostMicro = 1_000_000_000n * microPerCredit;

export const budgetRow = v.object({
  subject: budgetSubject,
  kind: literals("key", "member", "team"),
  /** Null if it is gone. */
  name: v.union(v.string(), v.null()),
  monthlyMicro: v.int64(),
  /** Whether new jobs are refused once it is used up. */
  stops: v.boolean(),
  spentMicro: v.int64(),
  forecastMicro: v.int64(),
  state: literals("ok", "near", "over"),
});

export async function budgetDocs(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"budgets">[]> {
  return await ctx.db
    .query("budgets")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(mostBudgets);
}

/** The subject of a budget in words. The name is null if it is gone. */
export async function budgetName(
  ctx: QueryCtx,
  subject: Doc<"budgets">["subject"],
): Promise<{ readonly kind: "key" | "member" | "team"; readonly name: string | null }> {
  const { kind, row } = await subjectOf(ctx, subject);
  return { kind, name: row === null ? null : visibleText(row.name) };
}

/** The budgets of the organization, or of these keys and owners and the owners' keys, with what is spent this month (UTC). */
export async function budgetsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: readonly string[] | null,
  now: number,
): Promise<Infer<typeof budgetRow>[]> {
  const budgets = await budgetDocs(ctx, organizationId);
  const rows = await Promise.all(
    budgets.map(async ({ subject, monthlyMicro, stops = false }) => {
      const named = await subjectOf(ctx, subject);
      if (owners !== null && !owners.some((owner) => owner === subject || owner === named.owner)) return [];
      const { spentMicro, forecastMicro } = await forecastFor(ctx, subject, now);
      const state = budgetState(spentMicro, monthlyMicro);
      const name = named.row === null ? null : visibleText(named.row.name);
      return [{ subject, kind: named.kind, name, monthlyMicro, stops, spentMicro, forecastMicro, state }];
    }),
  );
  return rows.flat().sort((a, b) => shareOf(b) - shareOf(a));
}

function shareOf({ spentMicro, monthlyMicro }: Infer<typeof budgetRow>): number {
  return Number(spentMicro) / Number(monthlyMicro);
}

/**
 * Sets the budget of a key, a member or a team for each month; null removes it. A raised one lets jobs in again at once. Refuses:
 * not_found, invalid.
 */
export async function setBudget(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  subject: Doc<"budgets">["subject"],
  { monthlyMicro, stops = false }: { readonly monthlyMicro: bigint | null; readonly stops?: boolean },
  by: Act,
): Promise<void> {
  const { row } = await subjectOf(ctx, subject);
  owned(row, organizationId, "key, member or team");
  const known = await budgetOf(ctx, subject);
  if (monthlyMicro === null) {
    if (known === null) return;
    await endBudgetPortions(ctx, known);
    await ctx.db.delete("budgets", known._id);
    const detail = budgetChange(known, null);
    await record(ctx, { organizationId, ...by, action: "budget.removed", subject, detail });
    return;
  }
  if (monthlyMicro <= 0n || monthlyMicro > mostMicro) {
    refuse("invalid", "A budget must be more than 0, and at most a billion credits.");
  }
  if (known === null) {
    await checkNumber(ctx, organizationId);
    await ctx.db.insert("budgets", { organizationId, subject, monthlyMicro, stops, createdAt: by.at });
  } else {
    await endBudgetPortions(ctx, known);
    const state = budgetState(await spentThisMonth(ctx, subject, by.at), monthlyMicro);
    const isRaised = known.warned?.state === "over" && state !== "over";
    const warned = state === "near" && known.warned !== undefined ? { ...known.warned, state } : undefined;
    await ctx.db.patch("budgets", known._id, { monthlyMicro, stops, ...(isRaised ? { warned } : {}) });
  }
  const detail = budgetChange(known, { monthlyMicro, stops });
  await record(ctx, { organizationId, ...by, action: "budget.set", subject, detail });
}

type BudgetTerms = Pick<Doc<"budgets">, "monthlyMicro" | "stops">;

function budgetChange(before: BudgetTerms | null, after: BudgetTerms | null): string {
  const credits = (terms: BudgetTerms | null) =>
    terms === null ? null : formatExactCredits(terms.monthlyMicro);
  const end = (terms: BudgetTerms | null) => (terms?.stops === true ? "stops" : "warns");
  return changesText([
    ["credits for a month", credits(before), credits(after)],
    ["at its end", end(before), after === null ? end(before) : end(after)],
  ]);
}

async function checkNumber(ctx: MutationCtx, organizationId: Id<"organizations">): Promise<void> {
  const all = await budgetDocs(ctx, organizationId);
  if (all.length >= mostBudgets) {
    refuse("invalid", `There are ${String(mostBudgets)} budgets already. Remove one first.`);
  }
}

async function subjectOf(ctx: QueryCtx, subject: Doc<"budgets">["subject"]) {
  const keyId = ctx.db.normalizeId("apiKeys", subject);
  if (keyId !== null) {
    const row = await ctx.db.get("apiKeys", keyId);
    return { kind: "key" as const, row, owner: row?.owner };
  }
  const memberId = ctx.db.normalizeId("members", subject);
  if (memberId !== null) {
    return { kind: "member" as const, row: await ctx.db.get("members", memberId), owner: undefined };
  }
  const teamId = ctx.db.normalizeId("teams", subject);
  const row = teamId === null ? null : await ctx.db.get("teams", teamId);
  return { kind: "team" as const, row, owner: undefined };
}
