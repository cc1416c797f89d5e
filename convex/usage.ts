import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { usageDays, usageGroupings } from "../app/usage/usage-table.ts";
import { internalQuery } from "./_generated/server.js";
import { availableOf } from "./model/ledger/holds.ts";
import { present } from "./model/refuse.ts";
import { organizationOfToken } from "./model/statistics/token.ts";
import { budgetRow, budgetsOf } from "./model/usage/budgets.ts";
import { factsOf } from "./model/usage/facts.ts";
import { keyUsageOf, usageOf } from "./model/usage/report.ts";
import { allowanceTerms } from "./model/validators/credits.ts";
import { usageFacts, usageRow } from "./model/validators/statistics.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const time = { days: literals(...usageDays), until: v.number() };
const table = v.object({ rows: v.array(usageRow), facts: usageFacts });

/** A table of usage of the organization that has this token for metrics; null for any other token. */
export const read = internalQuery({
  args: { token: v.string(), by: literals(...usageGroupings), ...time },
  returns: v.union(table, v.null()),
  handler: async (ctx, { token, ...wanted }) => {
    const organizationId = await organizationOfToken(ctx, token);
    if (organizationId === null) return null;
    const [{ rows }, facts] = await Promise.all([
      usageOf(ctx, organizationId, wanted),
      factsOf(ctx, organizationId),
    ]);
    return { rows, facts };
  },
});

const now = v.number();

/** The budgets of the organization that has this token for metrics; null for any other token. */
export const budgets = internalQuery({
  args: { token: v.string(), now },
  returns: v.union(v.array(budgetRow), v.null()),
  handler: async (ctx, { token, now: at }) => {
    const organizationId = await organizationOfToken(ctx, token);
    return organizationId === null ? null : await budgetsOf(ctx, organizationId, null, at);
  },
});

/** The budget of an admitted API key. */
export const budgetsOfKey = internalQuery({
  args: { keyId: v.id("apiKeys"), now },
  returns: v.array(budgetRow),
  handler: async (ctx, { keyId, now: at }) => {
    const { organizationId } = present(await ctx.db.get("apiKeys", keyId), "admitted key");
    return await budgetsOf(ctx, organizationId, [keyId], at);
  },
});

/** The credits that an admitted API key can spend now, and its allowance. Null: it has none. */
export const creditsOfKey = internalQuery({
  args: { keyId: v.id("apiKeys") },
  returns: v.object({
    availableMicro: v.int64(),
    allowance: v.union(v.object({ ...allowanceTerms.fields, dueAt: v.number() }), v.null()),
  }),
  handler: async (ctx, { keyId }) => {
    const { allowance } = present(await ctx.db.get("apiKeys", keyId), "admitted key");
    const availableMicro = await availableOf(ctx, keyId);
    if (allowance === undefined) return { availableMicro, allowance: null };
    const { every, kind, micro, dueAt } = allowance;
    return { availableMicro, allowance: { every, kind, micro, dueAt } };
  },
});

/** The days of an admitted API key. */
export const ofKey = internalQuery({
  args: { keyId: v.id("apiKeys"), ...time },
  returns: table,
  handler: async (ctx, { keyId, ...wanted }) => await keyUsageOf(ctx, keyId, wanted),
});
